"""A declared class has no pixel in the whole set.

What it does
------------
Reports class ids that no mask holds: a warning from 100 files on, a note below that, since a rare class may simply not have come up.

Why is this bad?
----------------
The class is never trained and its IoU is 0/0. Generalized Dice, with its weights of 1 / area squared, turns NaN or lets this class drown
out all others. The reason is often a shift, a wrong class list or a wrong split.

How to fix
----------
Compare the class list with the ids that are present. Leave reserved ids out of the metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG204", "absent-class", Severity.WARNING, "A declared class has no pixel in the whole set.",
            needs_classes=True, across_splits=True,
            symptom_of=("LG102", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG111", "LG205", "LG301"))

_ENOUGH_FILES = 100


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    files = data.num_exact
    absent = tuple(label for label in range(spec.last + 1) if spec.is_class(label) and label not in data.files_with)
    if not absent or not files:
        return
    evidence = [f"seen: {spec.last + 1 - len(absent)} of {count(spec.last + 1, 'class', 'classes')}"]
    ignored = [label for label in spec.ignore_index if label in (255, 65535) and label in data.ids]
    if absent == (spec.last,) and ignored:
        share = percent(data.ids[ignored[0]], data.pixels)
        evidence.append(f"the ignored id {ignored[0]} covers {share}: if the labels were shifted by -1 in unsigned integers, it holds the "
                        "former class 0, and this is why the last class is empty")
    yield rule.finding(f"{count(len(absent), 'class is', 'classes are')} never seen in {count(files, 'file')}: "
                       f"{listed((spec.name_of(label) for label in absent), 12)}.", ids=absent, pixels=0,
                       severity=Severity.WARNING if files >= _ENOUGH_FILES else Severity.NOTE, evidence=tuple(evidence),
                       files=data.files(),
                       fix="Compare the class list with the ids that are present; leave reserved ids out of the metrics.")

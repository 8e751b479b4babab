"""The ids go one beyond the number of classes.

What it does
------------
Reports ids that reach exactly the number of classes, and no further. If 0 never occurs, the labels start at 1; if it does, the class
count leaves out the background.

Why is this bad?
----------------
The highest class is out of range. On a GPU the run dies as soon as that class comes up, which may take hours.

How to fix
----------
Shift labels that start at 1 down by one, or count the background as a class. The two look alike on a few files, so check against the
class list before rewriting anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._unexpected_ids import judge
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, of_files

rule = Rule("LG106", "off-by-one", Severity.ERROR, "The ids go one beyond the number of classes.", needs_classes=True,
            symptom_of=("LG108",), needs_facts=("erosion",))

_ENOUGH_FILES = 20


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    verdicts = judge(data, spec)
    judged = {label for verdict in verdicts for label in verdict.ids}
    outside = [label for label in data.files_with if not spec.is_legal(label) and label not in judged]
    classes = spec.last + 1
    if outside != [classes]:
        return
    void = (*spec.ignore_index, *(verdict.ids[0] for verdict in verdicts if verdict.cause == "void"))
    shift = remap_fix(data, spec, {}, classes, void, shift=-1)
    more = f"--num-classes {classes + 1}"
    seen = [label for label in data.files_with if 0 <= label <= classes]
    files = data.files((classes,))
    found: dict[str, Any] = {"ids": (classes,), "pixels": data.ids[classes], "files": files}
    evidence = [f"{classes} is seen {of_files(len(files), data.num_exact)}, and no id beyond it"]
    if 0 in seen:
        evidence.append(f"0 is seen {of_files(data.files_with[0], data.num_exact)}: the labels start at 0")
        yield rule.finding(f"There are {classes + 1} classes, not {classes}: the ids run from 0 to {classes}.", **found,
                           evidence=tuple(evidence), fix=f"Declare {more}, and give the model as many outputs.")
        return
    evidence.append(f"0 is seen in none of the {count(data.num_exact, 'file')}")
    if len(seen) == classes or data.num_exact >= _ENOUGH_FILES:
        yield rule.finding(f"The labels start at 1: the ids run from 1 to {classes} instead of 0 to {spec.last}.", **found,
                           evidence=tuple(evidence), fix=shift, explains=(0,))
    else:
        yield rule.finding(f"The ids reach {classes}: the labels start at 1, or there are {classes + 1} classes.", **found,
                           evidence=tuple(evidence), explains=(0,),
                           fix=f"Look at the list of classes: if they start at 1, move all ids down by one. If not, declare {more}.")

"""The mask holds ids that are neither a class nor ignored.

What it does
------------
Reports ids below 0, and ids at or above the number of classes that are not an ignore id.

Why is this bad?
----------------
On a GPU the loss fails with "Assertion t >= 0 && t < n_classes failed" and takes the process with it, often far from the line at fault.
On other devices and in other frameworks the same id gives NaN, or silently trains a wrong class.

How to fix
----------
This is a symptom. Where labelguard knows the cause, it reports that instead. Otherwise look at the pixels that are named, then declare
the id, or move it with `labelguard remap`.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG101", "out-of-range", Severity.ERROR, "The mask holds ids that are neither a class nor ignored.",
            needs_classes=True, symptom_of=("LG002", "LG009", "LG102", "LG103", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109",
                                              "LG110", "LG111", "LG301"))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.ids and facts.ids[0] >= 0 and facts.ids[-1] <= spec.last:
        return  # most masks, and there are many
    outside = [i for i, label in enumerate(facts.ids) if not spec.is_legal(label)]
    if not outside:
        return
    ids = tuple(facts.ids[i] for i in outside)
    pixels = sum(facts.counts[i] for i in outside)
    tops, lefts, bottoms, rights = zip(*(facts.boxes[i] for i in outside), strict=True)
    ignored = f" or ignored ({id_ranges(spec.ignore_index)})" if spec.ignore_index else ""
    yield rule.finding(
        f"{'Id' if len(ids) == 1 else 'Ids'} {id_ranges(ids)} on {count(pixels, 'pixel')}: not among the classes 0-{spec.last}{ignored}.",
        ids=ids, pixels=pixels, first=min(facts.firsts[i] for i in outside),
        box=(min(tops), min(lefts), max(bottoms), max(rights)),
        fix="Look at these pixels, then declare the id, or move it with 'labelguard remap'.")

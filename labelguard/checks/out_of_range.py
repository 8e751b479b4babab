"""The mask holds ids that are neither a class nor ignored.

What it does
------------
Reports ids below 0, and ids at or above the number of classes that are not an ignore id.

Why is this bad?
----------------
On a GPU the loss fails with "Assertion t >= 0 && t < n_classes failed" and "CUDA error: device-side assert triggered", and takes the
process with it, often far from the line at fault. On other devices and in other frameworks the same id gives NaN, or silently trains a
wrong class.

How to fix
----------
This is a symptom. Where labelguard knows the cause, it reports that instead. Otherwise look at the pixels that are named, as
`labelguard show FILE` draws them, then declare the id, or move it with `labelguard remap`.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG101", "out-of-range", Severity.ERROR, "The mask holds ids that are neither a class nor ignored.",
            needs_classes=True, of_classes=True,
            symptom_of=("LG002", "LG009", "LG102", "LG103", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109",
                        "LG110", "LG111", "LG301"))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.present and facts.present[0] >= 0 and facts.present[-1] <= spec.last:
        return  # most masks, and there are many
    outside = [label for label in facts.present if not spec.is_legal(label)]
    if not outside:
        return
    ids, pixels, first, box = facts.region(outside)
    legal = f"{'a class' if len(ids) == 1 else 'classes'} (0-{spec.last})"
    wrong = f"neither {legal} nor ignored ({id_ranges(spec.ignore_index)})" if spec.ignore_index else f"not {legal}"
    yield rule.finding(
        f"{'Id' if len(ids) == 1 else 'Ids'} {id_ranges(ids)} on {count(pixels, 'pixel')}: {wrong}.",
        ids=ids, pixels=pixels, first=first, box=box,
        fix="Look at these pixels: what they show decides whether the id is declared, or moved with 'labelguard remap'.")

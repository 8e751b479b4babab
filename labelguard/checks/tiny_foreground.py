"""The foreground of the mask is only a few pixels.

What it does
------------
Reports masks whose foreground, without background and ignored ids, covers fewer than 10 pixels, or less than 0.005 % of the mask.

Why is this bad?
----------------
Such specks are mostly slips of the brush or remains of a deleted object. They vanish when the mask is made smaller, and overlap losses
give them the same weight as whole objects.

How to fix
----------
Look at the place that is named, as `labelguard show FILE --at ROW,COL` enlarges it, and erase or complete the annotation.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, percent

rule = Rule("LG203", "tiny-foreground", Severity.NOTE, "The foreground of the mask is only a few pixels.")

_FEW_PIXELS = 10
_SMALL_SHARE = 5e-5
_LARGE_ENOUGH = 1024  # in a mask of fewer pixels, few pixels are not few


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    background = spec.background_id
    if background is None or background not in facts.present or facts.pixels < _LARGE_ENOUGH:
        return
    pixels = facts.pixels - sum(map(facts.count, {background, *spec.ignore_index}))
    if 0 < pixels < max(_FEW_PIXELS, _SMALL_SHARE * facts.pixels):
        fore = facts.region(label for label in facts.present if label != background and label not in spec.ignore_index)
        yield rule.finding(f"The whole foreground is {count(pixels, 'pixel')}, {percent(pixels, facts.pixels)} of the mask.",
                           ids=fore.ids, pixels=pixels, first=fore.first, box=fore.bbox,
                           fix="Look at this place: erase the speck, or complete the annotation.")

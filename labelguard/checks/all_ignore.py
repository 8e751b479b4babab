"""Every pixel of the mask is ignored.

What it does
------------
Reports masks in which every pixel has a declared ignore id. After `labelguard remap` and `labelguard run` also a table that sends most ids
and most pixels there, as the table of another data set does.

Why is this bad?
----------------
The mean over no pixels is 0/0. Cross entropy gives NaN for a batch of such masks: for this mask alone, or for the smaller last batch of
an epoch. The gradient is 0, so the weights survive, but early stopping, loss scaling and logging do not.

How to fix
----------
Leave the file out, or divide by the number of valid pixels, but by at least 1. If a table did it, look whether it is the one for these
masks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, percent

rule = Rule("LG202", "all-ignore", Severity.ERROR, "Every pixel of the mask is ignored.", symptom_of=("LG109",))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.present and all(label in spec.ignore_index for label in facts.present):
        yield rule.finding(f"Every pixel is ignored ({id_ranges(facts.present)}): a batch of such masks has no loss, only NaN.",
                           ids=facts.present, pixels=facts.pixels, fix="Leave this file out of training.")


@rule.on_remap
def emptied(before: Mapping[int, int], target: Callable[[int], int | None], ignored: Collection[int]) -> Iterator[Finding]:
    """One id that is sent away, such as the background, may be meant; most of the ids, with most of the pixels, are another set's."""
    labeled = {label: pixels for label, pixels in before.items() if label not in ignored}
    lost = tuple(sorted(label for label in labeled if target(label) in ignored))
    pixels = sum(labeled[label] for label in lost)
    if 2 * len(lost) > len(labeled) and 2 * pixels > sum(labeled.values()):
        share = percent(pixels, sum(labeled.values()))
        yield rule.finding(f"{share} of the labeled pixels became {id_ranges(sorted(ignored))}, which is ignored: {len(lost)} of "
                           f"{count(len(labeled), 'id')} ({id_ranges(lost)}).", ids=lost, pixels=pixels,
                           fix="Look whether these are the masks that the table is for: 'labelguard scan' says which ids are there, and "
                               "what they may be.")

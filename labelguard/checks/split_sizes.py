"""The masks of two splits have no size in common.

What it does
------------
Reports splits with few sizes each, none of which occurs in the other. Splits in which sizes vary from file to file are left alone.

Why is this bad?
----------------
It may be intended, such as crops for training and whole scenes for testing. If not, one part was resized and the other was not: objects
then have another scale than those that were learned, and scores suffer without any error.

How to fix
----------
Nothing, if it is intended. Otherwise bring all splits to one size in the same way, with `labelguard resize` for the masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from labelguard.checks.rule import Rule
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import listed

rule = Rule("LG307", "split-sizes", Severity.NOTE, "The masks of two splits have no size in common.", needs="splits")

_FEW = 3


@rule.on_splits
def check(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    sizes = {split.name: {kind.shape for kind in split.data.kinds()} for split in splits}
    apart = [(one, other) for one, other in combinations(splits, 2) if max(len(sizes[one.name]), len(sizes[other.name])) <= _FEW
             and sizes[one.name] and sizes[other.name] and sizes[one.name].isdisjoint(sizes[other.name])]
    if apart:
        concerned = [split for split in splits if any(split in two for two in apart)]
        yield rule.finding(f"The masks of {listed(split.name for split in concerned)} have no size in common.",
                           files=tuple(path for split in concerned for path in split.named(split.data.files_of_kind())),
                           evidence=tuple(f"{split.name}: {listed(f'{height} x {width}' for height, width in sorted(sizes[split.name]))}"
                                          for split in concerned),
                           fix="Nothing, if it is intended; otherwise resize all splits in the same way.")

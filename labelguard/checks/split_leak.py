"""The same picture, or the same mask, is in more than one split.

What it does
------------
Reports images with equal pixels, under whatever names, in two splits; metadata and compression do not matter. Images of a single color
are left out. If no images are given, masks stand in for them: labels that are equal in every pixel, with so much detail that two people,
or two scenes, would not agree by chance.

Why is this bad?
----------------
The network is tested on what it was trained on. Scores go up, and the best of several runs is the one that has memorized these pictures.
Nothing fails, and only new data would show it.

How to fix
----------
Keep each picture in one split, and test on pictures that were never trained on. Frames of one video, tiles of one scene and slices of one
patient belong in one split as well; they are not equal, so this check does not find them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from labelguard.checks.rule import Rule
from labelguard.facts.split import SplitFacts, overlaps, shared
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG406", "split-leak", Severity.ERROR, "The same picture, or the same mask, is in more than one split.", needs="splits",
            needs_facts=("image_pixels",))

_MOST = 8
_Equal = list[tuple[SplitFacts, list[str]]]


@rule.on_splits
def check(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    pictures = list(shared(splits, [split.pictures for split in splits]).values())
    if pictures:
        number = [len(split.data.images.images) if split.data.images else 0 for split in splits]
        yield _finding(splits, pictures, number, "image", f"{count(len(pictures), 'image is', 'images are')} in more than one split.",
                       "Keep each picture in one split.", subject="image")
    pairs = {split.name: split.pairs for split in splits}
    masks = [group for group in shared(splits, [split.copies for split in splits]).values()
             if any(name not in pairs[split.name] for split, names in group for name in names)]  # else their images have said it all
    if masks:
        number = [len(split.data.records) for split in splits]
        message = (f"{count(len(masks), 'mask is', 'masks are')} in more than one split, equal in every pixel: a picture that is in "
                   "both, or a mask that was saved under the wrong name.")
        yield _finding(splits, masks, number, "mask", message, "Compare the images as well, with --images NAME=DIR for each split; keep "
                       "each picture in one split.", severity=Severity.WARNING)


def _finding(splits: Sequence[SplitFacts], groups: Sequence[_Equal], totals: Sequence[int], noun: str, message: str, fix: str,
             **details: Any) -> Finding:
    named = sorted([path for split, names in group for path in split.named(names)] for group in groups)
    evidence = [*overlaps(splits, groups, totals, noun), *(f"{listed(names, 4)} are equal" for names in named[:_MOST])]
    if len(named) > _MOST:
        evidence.append(f"and {len(named) - _MOST:,} more")
    files = tuple(sorted(path for names in named for path in names))
    return rule.finding(message, files=files, evidence=tuple(evidence), fix=fix, **details)

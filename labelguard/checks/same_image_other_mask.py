"""Identical images have different masks.

What it does
------------
Reports images with equal pixels under different names whose masks differ, within a split and across splits. Metadata and compression do
not matter. Images of a single color are left out: black frames may be labeled as anything.

Why is this bad?
----------------
The network is told two things about one picture. The loss cannot fall below their difference, and if one copy is in training and the
other in validation, the scores measure the annotators.

How to fix
----------
Decide which mask is right, and keep one copy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import PairFacts
from labelguard.facts.split import SplitFacts, shared
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG404", "same-image-other-mask", Severity.WARNING, "Identical images have different masks.", needs="--images",
            needs_facts=("image_pixels",))

_MOST = 8


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    by_image: dict[bytes, list[PairFacts]] = defaultdict(list)
    masks_of = Counter(pair.image for pair in data.images.pairs)
    for pair in data.images.pairs:
        pixels = pair.facts.pixels
        if masks_of[pair.image] > 1:
            continue  # a mask for each object, which the layout says
        if pixels is not None and pair.content is not None and any(value is None for value in pixels.constant):
            by_image[pixels.digest].append(pair)
    groups = [group for group in by_image.values() if len({pair.content for pair in group}) > 1]
    if groups:
        evidence = [f"{listed([pair.image for pair in group], 4)} are one image; masks {listed([pair.mask for pair in group], 4)}"
                    for group in groups[:_MOST]]
        masks = tuple(sorted(pair.mask for group in groups for pair in group))
        yield rule.finding(f"{count(len(groups), 'image')} {'occurs' if len(groups) == 1 else 'occur'} several times, under different "
                           "names and with different masks.", files=masks, evidence=tuple(evidence),
                           fix="Look at these masks, keep the right one of each image, and remove the copies.")


@rule.on_splits
def between(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    masks_of = {split.name: {pair.image: pair.mask for pair in split.pairs.values() if of_image[pair.image] == 1}
                for split in splits for of_image in [Counter(pair.image for pair in split.pairs.values())]}
    differing = []
    for group in shared(splits, [split.pictures for split in splits]).values():
        held = [(split, masks_of[split.name][name]) for split, names in group for name in names if name in masks_of[split.name]]
        digests = {split.name: {split.fingerprints[mask].digest for mask_of, mask in held
                                if mask_of is split and mask in split.fingerprints}
                   for split, _ in held}
        if len({frozenset(of_split) for of_split in digests.values() if of_split}) > 1:
            differing.append(sorted(f"{split.name}/{mask}" for split, mask in held))
    if differing:
        yield rule.finding(f"{count(len(differing), 'image')} {'occurs' if len(differing) == 1 else 'occur'} in several splits, with "
                           "different masks.", files=tuple(sorted(path for names in differing for path in names)),
                           evidence=tuple(f"masks of one image: {listed(names, 4)}" for names in sorted(differing)[:_MOST]),
                           fix="Look at these masks, keep the right one of each image, and remove the copies.")

"""The mask and its image differ in size.

What it does
------------
Compares the height and width of mask and image, from their headers, and distinguishes masks of the same proportions at another scale,
masks that are a few pixels larger or smaller, and masks that do not fit at all. If the image has an EXIF orientation, a mask that fits
one of its two views is LG303; swapped height and width are LG304.

Why is this bad?
----------------
Libraries that check stop with "Height and Width of image, mask or masks should be equal". Loaders that resize both to one size do not: a
mask with a margin, or of another picture, is stretched over the image, and every border is off.

How to fix
----------
At another scale, resize the mask with nearest neighbor or `labelguard resize`, never with interpolation. A few pixels are a margin or a
crop: cut or pad on the side where they were lost, and do not resize. Otherwise, look for the right image.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import PairFacts
from labelguard.finding import PLACEHOLDER, Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, path_argument

rule = Rule("LG302", "size-mismatch", Severity.ERROR, "The mask and its image differ in size.", needs="--images")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    pairs = data.images.pairs if data.images is not None else []
    at_once = len({pair.facts.shape for pair in pairs}) == 1 and {pair.fit for pair in pairs} <= {"equal", "scaled"}
    for pair in pairs:
        if pair.fit not in ("scaled", "margin", "other"):
            continue
        (height, width), (full_height, full_width) = pair.shape, pair.facts.shape
        sizes = f"The mask is {height} x {width}, its image {full_height} x {full_width} (height x width)"
        evidence = [f"image: {pair.image}"]
        if pair.facts.orientation > 1:
            evidence.append(f"The image has EXIF orientation {pair.facts.orientation}, but the mask has the size of neither view.")
        yield rule.finding(f"{sizes}: {_relation(pair)}.", path=pair.mask, evidence=tuple(evidence), fix=_fix(pair, data.root, at_once))


def _relation(pair: PairFacts) -> str:
    (height, width), (full_height, full_width) = pair.shape, pair.facts.shape
    if pair.fit == "scaled":
        if (height < width) != (full_height < full_width):
            full_height, full_width = full_width, full_height
        return f"the same proportions at {max(height / full_height, width / full_width):.3g} times the size"
    if pair.fit == "margin":
        parts = [f"{count(abs(more), noun)} too {'many' if more > 0 else 'few'}"
                 for more, noun in ((height - full_height, "row"), (width - full_width, "column")) if more]
        return f"{' and '.join(parts)}, a margin or a crop rather than another scale"
    return "their proportions differ, so one of them was cropped, or belongs to another"


def _fix(pair: PairFacts, root: str, at_once: bool) -> Fix:
    """How to fix it; `at_once` if one command does so for the whole set."""
    if pair.fit == "scaled" and pair.facts.orientation < 5:
        path = root if at_once or os.path.isfile(root) else pair.mask if root == PLACEHOLDER else f"{root}/{pair.mask}"
        height, width = map(str, pair.facts.shape)
        return Fix.command("labelguard", "resize", path_argument(path), "--height", height, "--width", width, safe=root != PLACEHOLDER)
    if pair.fit == "margin":
        return Fix.advice("Overlay mask and image to see on which side they differ, and crop or pad the mask there; do not resize it.")
    return Fix.advice("Look at both: find the image that the mask was drawn on, or crop it in the same way.")

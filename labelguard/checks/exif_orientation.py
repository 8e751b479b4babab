"""The image has an EXIF orientation, and the mask fits one of its two views.

What it does
------------
Reports images whose EXIF orientation is not 1. A mask with height and width swapped was drawn on the rotated view; a mask of the stored
size was drawn on the pixels as stored. If both views have the same size (square images, and orientations 2 to 4, which mirror or rotate
by 180 degrees), the check compares the edges of masks and images in both views, over all such pairs (see LG305). With fewer than three
pairs, or without a clear answer, the finding says that it is undetermined.

Why is this bad?
----------------
Pillow does not apply the orientation. OpenCV's imread does, unless told IMREAD_UNCHANGED or IMREAD_IGNORE_ORIENTATION. So one file has
two shapes, and one of them does not fit the mask: loading fails where sizes are compared; where they are equal, or both are resized, the
network sees rotated pictures with upright labels.

How to fix
----------
If the masks were drawn on the rotated view, rotate the pixels of copies and remove the tag (PIL.ImageOps.exif_transpose). If they were
drawn on the stored pixels, only remove the tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import PairFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.alignment import View
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG303", "exif-orientation", Severity.ERROR, "The image has an EXIF orientation, and the mask fits one of its two views.",
            needs="--images", needs_facts=("image_pixels", "alignment"))

_BAKE = "On copies of these images, turn the pixels as the tag says and remove it: PIL.ImageOps.exif_transpose does both."
_STRIP = "Remove the orientation tag from copies of these images, so that no loader turns them."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    turned = [pair for pair in data.images.pairs if pair.facts.orientation > 1] if data.images is not None else []
    displayed = [pair for pair in turned if pair.fit == "displayed"]
    stored = [pair for pair in turned if pair.fit == "stored"]
    either = [pair for pair in turned if pair.fit == "either"]
    for pair in displayed:
        yield _fits(pair, "as EXIF turns it, and not the stored pixels: a loader that ignores EXIF gives a different picture", _BAKE)
    if displayed:  # no loader suits both
        for pair in stored:
            yield _fits(pair, "as its pixels are stored, while other masks of this set fit the turned view: no loader suits both", _STRIP)
    elif stored:
        fit = "fits its image" if len(stored) == 1 else "fit their images"
        yield rule.finding(f"{count(len(stored), 'mask')} {fit} as stored, although EXIF says to turn: "
                           "right in loaders that ignore EXIF (Pillow), wrong in those that apply it (OpenCV).",
                           severity=Severity.NOTE, files=tuple(pair.mask for pair in stored), fix=_STRIP)
    if either:
        yield _by_content(either, data.alignment.view)


def _by_content(pairs: Sequence[PairFacts], view: View | None) -> Finding:
    """The finding about pairs whose sizes leave both views open."""
    turned = f"{count(len(pairs), 'image is', 'images are')} turned or mirrored by EXIF without a change of size"
    files = tuple(pair.mask for pair in pairs)
    if view is None:
        return rule.finding(f"{turned}: it is undetermined on which view the masks were drawn.", severity=Severity.NOTE, files=files,
                            fix="Look at one: if the mask fits what a viewer shows, turn the pixels; if not, remove the tag.")
    if view == "displayed":
        return rule.finding(f"{turned}, and by their content the masks fit the turned view: "
                            "a loader that ignores EXIF gives different pictures.", severity=Severity.WARNING, files=files,
                            fix=f"Look at one. {_BAKE}")
    return rule.finding(f"{turned}, and by their content the masks fit the pixels as stored: right in loaders that ignore EXIF (Pillow), "
                        "wrong in those that apply it (OpenCV).", severity=Severity.NOTE, files=files, fix=f"Look at one. {_STRIP}")


def _fits(pair: PairFacts, view: str, fix: str) -> Finding:
    (height, width), (full_height, full_width) = pair.shape, pair.facts.shape
    return rule.finding(f"The mask fits its image {view}.", path=pair.mask, fix=fix, evidence=(
        f"image: {pair.image}, EXIF orientation {pair.facts.orientation}",
        f"mask {height} x {width}, image {full_height} x {full_width} stored and {full_width} x {full_height} turned (height x width)"))

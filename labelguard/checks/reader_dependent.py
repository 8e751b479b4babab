"""Readers give different labels for the same file.

What it does
------------
Reports masks with an orientation tag other than 1, grey masks of 2 or 4 bits, and TIFF masks whose grey levels run from white to black
(MinIsWhite), or that do not say how they run.

Why is this bad?
----------------
Pillow turns a TIFF as its Orientation says, and no other format. OpenCV's imread turns TIFF, PNG, WebP and JPEG; with IMREAD_UNCHANGED
only TIFF. tifffile, scikit-image and GDAL turn nothing. So the mask lies on its image in one loader and beside it in another, with legal
ids in both. MinIsWhite is inverted by Pillow and OpenCV and by none of the others: 1 becomes 254, and in a bilevel mask foreground and
background change places. Grey levels of 2 and 4 bits are stretched to 0 to 255 by Pillow and OpenCV: 1 becomes 85, or 17.

How to fix
----------
Write the masks anew: labelguard remap and resize write no such tag, and 8 bits. What they write is the mask as this report has it: turned
as Pillow turns it, and neither inverted nor stretched. Look at one over its image first.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG013", "reader-dependent", Severity.WARNING, "Readers give different labels for the same file.")

_FEW_BITS = (2, 4)  # of a grey pixel; a single one is a truth value, which Pillow gives as such
_FIX = ("Look at one over its image. If it fits, write the masks anew: labelguard remap and resize write no such tag, so that every reader "
        "sees what this report is about.")


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    stored = facts.stored
    if stored is None:
        return
    if stored.orientation != 1 and stored.format == "tiff":
        yield rule.finding(f"Has the orientation {stored.orientation}: Pillow and OpenCV turn it, tifffile, scikit-image and GDAL do not. "
                           "It was read turned.", fix=_FIX)
    elif stored.orientation != 1:
        yield rule.finding(f"Has the EXIF orientation {stored.orientation}: OpenCV turns it, unless told IMREAD_UNCHANGED, and Pillow does "
                           "not. It was read as stored.", fix=_FIX)
    if stored.white_is_zero:
        yield rule.finding("Does not say that its levels run from black to white (MinIsBlack): Pillow and OpenCV invert them, tifffile, "
                           "scikit-image and GDAL do not. It was read as stored, not inverted.", fix=_FIX)
    if stored.channels == "grey" and stored.bits in _FEW_BITS and facts.ids[-1] > 0:
        factor = 255 // ((1 << stored.bits) - 1)
        yield rule.finding(f"Has {stored.bits} bits for a pixel: Pillow and OpenCV stretch these levels to 0 to 255, so that 1 becomes "
                           f"{factor}. It was read as stored.",
                           fix="Write the masks anew: labelguard remap and resize write 8 bits, so that every reader sees these ids.")

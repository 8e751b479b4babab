"""Height and width of the mask are those of its image, swapped.

What it does
------------
Reports masks whose height is the width of their image and whose width is its height, unless an EXIF orientation explains it (LG303). On
square images only the content can tell: the edges of the transposed mask lie on those of its image, over the whole set or in single masks
that are each clear by themselves (as in LG305).

Why is this bad?
----------------
Somewhere (width, height) was taken for (height, width): Pillow's size and OpenCV's dsize name the width first, NumPy's shape the height.
Libraries that compare sizes stop. Loaders that resize both to one size do not, and no label lies where its object is.

How to fix
----------
Look at one mask. If it is the picture mirrored along its diagonal, it was transposed, and transposing it again loses nothing. If it is
upright but squashed, it was resized to the swapped size: create it again from its source.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.alignment import Turn
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG304", "transposed", Severity.ERROR, "Height and width of the mask are those of its image, swapped.", needs="--images",
            needs_facts=("image_pixels", "alignment"))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for fault in data.alignment.verdict.faults:
        if fault.turn is Turn.TRANSPOSED:
            masks = "The masks are" if fault.whole else count(len(fault.files), "mask is", "masks are")
            yield rule.finding(f"{masks} transposed, as the content of {count(len(fault.files), 'image')} shows.", files=fault.files,
                               severity=Severity.ERROR if fault.sure else Severity.WARNING, evidence=fault.votes,
                               fix="Overlay some of these masks on their images and look. Transposing a mask again (mask.T) repairs it.")
    for pair in data.images.pairs if data.images is not None else ():
        if pair.fit == "transposed":
            (height, width), (full_height, full_width) = pair.shape, pair.facts.shape
            yield rule.finding(f"The mask is {height} x {width}, its image {full_height} x {full_width} (height x width): swapped.",
                               path=pair.mask, evidence=(
                                   f"image: {pair.image}",
                                   "Sizes do not tell whether the mask was transposed, or resized to the swapped size."),
                               fix="Look at one: transpose a transposed mask again; a squashed one has to be created again.")

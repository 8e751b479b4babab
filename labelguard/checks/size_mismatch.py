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

from collections.abc import Iterator, Sequence

from labelguard.checks._selecting import file_choice, selection_of
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import PairFacts
from labelguard.files.default_folder import default_out
from labelguard.finding import Arguments, Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, path_argument

rule = Rule("LG302", "size-mismatch", Severity.ERROR, "The mask and its image differ in size.", needs="--images")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    pairs = data.images.pairs if data.images is not None else []
    resize = _resize(pairs, data) if any(map(_is_scaled, pairs)) else Fix()
    for pair in pairs:
        if pair.fit not in ("scaled", "margin", "other"):
            continue
        (height, width), (full_height, full_width) = pair.shape, pair.facts.shape
        sizes = f"The mask is {height} x {width}, its image {full_height} x {full_width} (height x width)"
        evidence = [f"image: {pair.image}"]
        if pair.facts.orientation > 1:
            evidence.append(f"The image has EXIF orientation {pair.facts.orientation}, but the mask has the size of neither view.")
        yield rule.finding(f"{sizes}: {_relation(pair)}.", path=pair.mask, evidence=tuple(evidence),
                           fix=resize if _is_scaled(pair) else _MARGIN if pair.fit == "margin" else _OTHER)


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


_MOST_SIZES = 3  # with a command of their own
_MARGIN = "Overlay mask and image to see on which side they differ, and crop or pad the mask there; do not resize it."
_OTHER = "Look at both: find the image that the mask was drawn on, or crop it in the same way."


def _is_scaled(pair: PairFacts) -> bool:
    """Whether the mask only has to be resized."""
    return pair.fit == "scaled" and pair.facts.orientation < 5


def _resize(pairs: Sequence[PairFacts], data: DatasetFacts) -> Fix:
    """The commands that give all such masks the sizes of their images: one for each size, the second reading what the first wrote."""
    if len(data.sources) > 1:
        return Fix.advice("Scan each folder by itself: then the command is printed that gives its masks the size of their images.")
    targets = {pair.mask: pair.facts.shape for pair in pairs if _is_scaled(pair)}
    path, parts = data.root, list[str | Arguments]()
    for size in sorted({*targets.values()}):
        wanted = {name: () for name, target in targets.items() if target == size}
        others = {record.path: () for record in data.records if record.shape != size and record.path not in wanted}
        chosen = file_choice(wanted, others, data.left_out, selection_of(data.selected))
        if chosen is None or len(parts) == 2 * _MOST_SIZES:
            return Fix.advice("Resize each of these masks to the size of its image, with 'labelguard resize' or nearest neighbor.")
        height, width = map(str, size)
        parts += ["One after the other: " if not parts else ", then ",
                  ("labelguard", "resize", path_argument(path), *chosen.arguments, "--height", height, "--width", width)]
        path = default_out(path, "resized")
    return Fix.command(*parts[1]) if len(parts) == 2 else Fix.advice(*parts, ". The last one writes the whole set.")

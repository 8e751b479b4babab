"""Palette or color files were read as grayscale: the ids are luminances of colors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log2

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import Color, LabelSpec


def _by_pillow(red: int, green: int, blue: int) -> int:
    """Pillow, src/libImaging/Convert.c, macro L24, rounded: ITU-R BT.601 in 16 bits."""
    return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16


def _by_cvt_color(red: int, green: int, blue: int) -> int:
    """OpenCV, modules/imgproc/src/color.simd_helpers.hpp: the same weights in 15 bits."""
    return (9798 * red + 19235 * green + 3735 * blue + (1 << 14)) >> 15


def _by_imread(red: int, green: int, blue: int) -> int:
    """OpenCV's imread of a palette file as grey: libpng with the same weights, truncated."""
    return (299 * red + 587 * green + 114 * blue) // 1000


READERS: dict[str, Callable[[int, int, int], int]] = {
    "Pillow": _by_pillow, "OpenCV's cvtColor": _by_cvt_color, "OpenCV's imread": _by_imread}


def interleaved_palette(number: int) -> dict[int, Color]:
    """The palette of Pascal VOC, continued: the bits of an id, dealt to red, green and blue in turn, become their highest bits.

    Source: PASCAL VOC 2012 development kit, VOClabelcolormap.m.
    """
    def channel(label: int, offset: int) -> int:
        return sum((label >> (3 * bit + offset) & 1) << (7 - bit) for bit in range(8))
    return {label: (channel(label, 0), channel(label, 1), channel(label, 2)) for label in range(number)}


def palettes(spec: LabelSpec, void: int) -> Iterator[tuple[str, dict[int, Color]]]:
    """Palettes by name: the declared one, then the public ones, those with as many classes as declared first."""
    if spec.colors:
        yield "the declared colors", dict(enumerate(spec.colors))
    for space in sorted(spaces(), key=lambda space: space.spec.num_classes != spec.num_classes):
        if not space.spec.colors:
            continue
        palette = dict(enumerate(space.spec.colors))
        if space.name == "voc":
            palette = interleaved_palette(min(256, max(21, spec.num_classes or 0)))
        classes = {label: color for label, color in palette.items() if spec.is_class(label)}
        yield f"the palette of {space.title}", classes | ({void: space.void_color} if space.void_color else {})


def families(case: Case) -> Iterator[Explanation]:
    """Every palette by every reader, where all ids are luminances of it."""
    codes = case.plain
    if len(codes) < 2 or codes[0] < 0 or codes[-1] > 255 or not case.illegal:
        return
    void = case.spec.ignore_index[0] if case.spec.ignore_index else 255
    known = [*palettes(case.spec, void)]
    for title, palette in known:
        for reader, luminance in READERS.items():
            levels: dict[int, list[int]] = {}
            for label, color in palette.items():
                levels.setdefault(luminance(*color), []).append(label)
            if all(code in levels for code in codes):
                yield _luminances(title, reader, log2(len(known)), levels, case, void)


def _luminances(title: str, reader: str, more: float, levels: dict[int, list[int]], case: Case, void: int) -> Explanation:
    ignored = {label: VOID for label in case.ids if label in case.spec.ignore_index}
    table = {code: VOID if levels[code] == [void] else levels[code][0] for code in case.plain}
    mixed = frozenset(code for code in table if len(levels[code]) > 1)
    number = case.spec.num_classes or max(table.values()) + 1
    name = "palette Pillow" if reader == "Pillow" else "palette OpenCV"
    return Explanation("palette", f"the ids are luminances of {title}, as {reader} reads them", prior(name) + more,
                       {label: there for label, there in (table | ignored).items() if there < number}, number, mixed=mixed)

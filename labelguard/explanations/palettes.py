"""Palette or color files were read as grayscale: the ids are luminances of colors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log2
from typing import NamedTuple

from labelguard.explanations.explanation import VOID, Case, Explanation, Reading
from labelguard.explanations.priors import prior
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import Color, LabelSpec
from labelguard.text import listed


def _by_pillow(red: int, green: int, blue: int) -> int:
    """Pillow, src/libImaging/Convert.c, macro L24, rounded: ITU-R BT.601 in 16 bits."""
    return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16


def _by_cvt_color(red: int, green: int, blue: int) -> int:
    """OpenCV, modules/imgproc/src/color.simd_helpers.hpp: the same weights in 15 bits."""
    return (9798 * red + 19235 * green + 3735 * blue + (1 << 14)) >> 15


def _by_imread(red: int, green: int, blue: int) -> int:
    """OpenCV's imread of a palette file as grey: libpng with the same weights, truncated."""
    return (299 * red + 587 * green + 114 * blue) // 1000


Luminance = Callable[[int, int, int], int]
READERS: dict[str, Luminance] = {"Pillow": _by_pillow, "OpenCV's cvtColor": _by_cvt_color, "OpenCV's imread": _by_imread}


class _Way(NamedTuple):
    """A way to make one number of a color: its prior, what the numbers are called, who makes them, and the formula."""

    prior: str
    name: str
    reader: str
    number: Luminance


def _ways() -> Iterator[_Way]:
    for reader, luminance in READERS.items():
        entry = "palette Pillow" if reader == "Pillow" else "palette OpenCV"
        yield _Way(entry, "luminances", f"{reader} reads the colors so", luminance)
        yield _Way("palette exchanged", "luminances", f"{reader} reads the colors so, where red and blue were exchanged",
                   lambda red, green, blue, luminance=luminance: luminance(blue, green, red))  # type: ignore[misc]
    for place, channel in enumerate(("red", "green", "blue")):
        yield _Way("palette channel", "one channel", f"the {channel} channel has these numbers", lambda *color, place=place: color[place])


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
    """Every palette in every way, where all ids come of it."""
    readings = [reading for reading in case.readings if reading.telling and reading.codes[-1] < 256]
    if not readings or not case.illegal:
        return
    void = case.spec.ignore_index[0] if case.spec.ignore_index else 255
    known = [*palettes(case.spec, void)]
    for title, palette in known:
        for way in _ways():
            levels: dict[int, list[int]] = {}
            for label, color in palette.items():
                levels.setdefault(way.number(*color), []).append(label)
            for reading in readings:
                if all(code in levels for code in reading.codes):
                    yield _of_colors(title, way, log2(len(known)), levels, reading, case, void)


def _of_colors(title: str, way: _Way, more: float, levels: dict[int, list[int]], reading: Reading, case: Case,
               void: int) -> Explanation:
    table = {code: VOID if levels[code] == [void] else levels[code][0] for code in reading.codes}
    number = case.spec.num_classes or max(table.values()) + 1
    shared = {code: levels[code] for code in table if len(levels[code]) > 1}  # of all colors: undeclared, there may be more classes
    evidence = [way.reader]
    if shared:
        listing = listed(f"{code} ({' or '.join('void' if label == void else str(label) for label in labels)})"
                         for code, labels in shared.items())
        evidence.append(f"several colors become {listing}: which class it was can no longer be told")
    table = {label: there for label, there in (table | reading.voids).items() if there < number}
    lost = sum(label < number for labels in shared.values() for label in labels[1:])
    return Explanation("palette", f"the ids are {way.name} of {title}{reading.words}", prior(way.prior) + more + reading.bits, table,
                       number, mixed=frozenset(shared), lost=lost, evidence=tuple(evidence))

"""Palette or color files were read as grayscale: the ids are luminances of colors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log2
from typing import NamedTuple

from labelguard.explanations.explanation import VOID, Case, CodedIds, Explanation
from labelguard.explanations.priors import number_of_classes, prior
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


class _Palette(NamedTuple):
    """Colors by class, that of void under the void label, for how many classes they were made, and what it takes to give them to others."""

    title: str
    colors: dict[int, Color]
    num_classes: int
    others: str = "palette for others"


def _palettes(spec: LabelSpec, void: int) -> Iterator[_Palette]:
    """The declared one, and the public ones."""
    if spec.colors:
        yield _Palette("the declared colors", dict(enumerate(spec.colors)), len(spec.colors))
    for space in spaces():
        if space.spec.colors:
            every = dict(enumerate(space.spec.colors))
            if space.name == "voc":
                every = interleaved_palette(min(256, max(21, spec.num_classes or 0)))
            classes = {label: color for label, color in every.items() if spec.is_class(label)}
            goes_on = space.name == "voc" and spec.declared
            yield _Palette(f"the palette of {space.title}", classes | ({void: space.void_color} if space.void_color else {}),
                           len(space.spec.colors), "palette continued" if goes_on else "palette for others")


def families(case: Case) -> Iterator[Explanation]:
    """Every palette in every way, where all ids come of it."""
    coded = [ids for ids in case.coded if ids.telling and ids.codes[-1] < 256]
    if not coded or not case.illegal:
        return
    void = case.spec.ignore_index[0] if case.spec.ignore_index else 255
    known = [*_palettes(case.spec, void)]
    for palette in known:
        for way in _ways():
            levels: dict[int, list[int]] = {}
            for label, color in palette.colors.items():
                levels.setdefault(way.number(*color), []).append(label)
            for ids in coded:
                if all(code in levels for code in ids.codes):
                    bits = log2(len(known)) + prior(way.prior) + ids.bits
                    yield from _of_colors(palette, way, levels, ids, void, bits, case.spec)


def _of_colors(palette: _Palette, way: _Way, every: dict[int, list[int]], ids: CodedIds, void: int, bits: float,
               spec: LabelSpec) -> Iterator[Explanation]:
    """With as many classes as are declared; else as the palette has, or as are there."""
    levels = {code: every[code] for code in ids.codes}
    decoded = {code: VOID if labels == [void] else labels[0] for code, labels in levels.items()} | ids.voids
    shared = {code: labels for code, labels in levels.items() if len(labels) > 1}
    evidence = [way.reader]
    if shared:
        listing = listed(f"{code} ({' or '.join('void' if label == void else str(label) for label in labels)})"
                         for code, labels in shared.items())
        evidence.append(f"several colors become {listing}: which class it was can no longer be told")
    for number in {spec.num_classes} if spec.num_classes is not None else {palette.num_classes, max(decoded.values()) + 1}:
        more = prior(palette.others) * (number != palette.num_classes)
        if not spec.declared and number == palette.num_classes:
            more = -number_of_classes(number, False)  # the palette says it
        several = (frozenset(label for label in labels if label < number and label != void) for labels in every.values())
        yield Explanation("palette", f"the ids are {way.name} of {palette.title}{ids.words}", bits + more,
                          {label: there for label, there in decoded.items() if there < number}, max(number, 1), mixed=frozenset(shared),
                          lost=sum(label < number for labels in shared.values() for label in labels[1:]), evidence=tuple(evidence),
                          together=tuple(each for each in several if len(each) > 1))

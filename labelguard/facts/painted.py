"""PaintedSet: the colors of the masks of a set that hold colors where ids should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.mask_facts import MaskFacts

Rgb = tuple[int, ...]

_MOST = 4096  # colors: more are those of photographs


@dataclass(frozen=True, slots=True)
class PaintedSet:
    """What masks hold that are painted, taken together.

    Parameters
    ----------
    files
        Number of files with colors.
    pixels
        Pixels of each color, as (red, green, blue).
    seen_in
        A file that holds the color, for each.
    whole
        Whether these are all their colors, and all of 8 bits and opaque.
    """

    files: int = 0
    pixels: Mapping[Rgb, int] = field(default_factory=FrozenDict)
    seen_in: Mapping[Rgb, str] = field(default_factory=FrozenDict)
    whole: bool = True


class PaintedSetBuilder:
    """Collects the colors of one file after the other."""

    def __init__(self) -> None:
        self._files = 0
        self._pixels: dict[Rgb, int] = {}
        self._seen_in: dict[Rgb, str] = {}
        self._whole = True

    def add(self, path: str, facts: MaskFacts) -> None:
        """Take in a mask, if it is painted; what a lossy codec has left of one is no color."""
        colors, stored = facts.colors, facts.stored
        if colors is None or colors.equal or (stored is not None and stored.lossy):
            return
        self._files += 1
        self._whole &= len(colors.common) == colors.distinct and colors.alpha in (None, (255, 255)) and facts.dtype == "uint8"
        if len(self._pixels) > _MOST:
            self._whole = False
            return
        for color, pixels in colors.common:
            self._pixels[color] = self._pixels.get(color, 0) + pixels
            self._seen_in.setdefault(color, path)

    def build(self) -> PaintedSet:
        """What was taken in."""
        return PaintedSet(self._files, FrozenDict(self._pixels), FrozenDict(self._seen_in), self._whole)

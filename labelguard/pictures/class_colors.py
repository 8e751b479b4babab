"""ClassColors: the color of each id, the same in every picture of a set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.pictures.palette import DEFAULT_COLORS, SIGNAL_COLOR, VOID_COLOR
from labelguard.pictures.perception import differences
from labelguard.spec.labelspec import Color, LabelSpec

Role = Literal["class", "void", "foreign"]
_UNDECLARED = LabelSpec()
_VIVID = 180  # from the weakest to the strongest part of a color


@dataclass(frozen=True)
class ClassColors:
    """The color of each id under a spec: it depends on the two alone, so that pictures can be compared.

    Classes have the colors that the spec gives them, or those of a palette that color-blind people can tell apart too. Ignored ids are
    grey, and hatched where there is room. All ids that are no class have one signal color, which no class comes near.

    Parameters
    ----------
    spec
        What the ids mean; where nothing is declared, every id that is not negative counts as a class.

    Examples
    --------
    >>> ClassColors(LabelSpec(2, ignore_index=255, colors=[(0, 0, 0), (200, 30, 30)])).of(1)
    (200, 30, 30)
    """

    spec: LabelSpec = _UNDECLARED

    def role(self, label: int) -> Role:
        """What an id is: a class, ignored, or neither."""
        if label in self.spec.ignore_index:
            return "void"
        return "class" if self.spec.is_class(label) else "foreign"

    def of(self, label: int) -> Color:
        """The color of an id."""
        role = self.role(label)
        if role == "void":
            return VOID_COLOR
        if role == "foreign":
            return _signal(self.spec.colors)
        return self.spec.colors[label] if self.spec.colors else default_color(label)

    def table(self, ids: Iterable[int]) -> NDArray[np.uint8]:
        """The colors of ids, (N, 3) uint8."""
        return np.array([self.of(label) for label in ids], np.uint8).reshape(-1, 3)

    def name(self, label: int) -> str:
        """The name of a class, and what an id is that is none; empty where classes have no names."""
        role = self.role(label)
        if role == "class":
            return self.spec.names[label] if self.spec.names else ""
        return "ignored" if role == "void" else "no class"


def default_color(label: int) -> Color:
    """The color of a class that has been given none. Ids from 256 on repeat colors, but not those of their neighbors."""
    return DEFAULT_COLORS[label if label < len(DEFAULT_COLORS) else 1 + (label * 97 + (label >> 8) * 31) % (len(DEFAULT_COLORS) - 1)]


@lru_cache(maxsize=64)
def _signal(taken: tuple[Color, ...]) -> Color:
    """The vivid color that is farthest from those that classes have."""
    if not taken:
        return SIGNAL_COLOR
    steps = np.linspace(0, 255, 9).round().astype(int)
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    vivid = grid[np.ptp(grid, axis=1) >= _VIVID]
    red, green, blue = vivid[differences(vivid, np.array([*taken, VOID_COLOR])).min(axis=1).argmax()].tolist()
    return red, green, blue

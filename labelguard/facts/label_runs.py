"""LabelRuns: how the ids of a mask change along its rows and columns, the group of facts that shows smoothing."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.frozen import FrozenArray

_TOTALS = 11  # as `kernels.label_runs.TOTALS`, whose import loads the library in C
NAMES = ("direct", "ramps", "bands", "ripples", "varied", "repeated", "looked", "short", "ends", "on_grid", "off_grid")


def _number(at: int, meaning: str) -> Any:
    return property(lambda self: self.numbers[at], doc=meaning)


@dataclass(frozen=True, slots=True)
class LabelRuns:
    """What `kernels.label_runs` counts, rows and columns together.

    Every row and column is cut into runs of equal ids. A run is short where it has at most 4 pixels and does not touch the frame. It is
    a ramp where its id lies strictly between those of the runs beside it.

    Parameters
    ----------
    numbers
        Eleven numbers of the mask, then one for each id, its areas, then one for each id, its thin runs; ids ascending.
    """

    numbers: array[int]

    direct = _number(0, "Steps of 2 or more from one id to another without a ramp: ids between them would have had room.")
    ramps = _number(1, "Short runs whose id lies strictly between those beside them.")
    bands = _number(2, "The same for runs of 5 to 12 pixels, which real thin classes leave and smoothing does not.")
    ripples = _number(3, "Runs of 1 or 2 pixels that overshoot: one neighbor is near in value, the other far.")
    varied = _number(4, "Ramps between ids 3 or more apart that differ from the last ramp between the same two ids.")
    repeated = _number(5, "Ramps between ids 3 or more apart that do not.")
    looked = _number(6, "Pixels of all runs that were looked at; a pixel counts once along its row and once along its column.")
    short = _number(7, "Pixels of the short ones among them.")
    ends = _number(8, "Places where a short run meets one that is not.")
    on_grid = _number(9, "How many of them lie between two 8 x 8 blocks.")
    off_grid = _number(10, "How many of them lie in the middle of such a block.")

    @classmethod
    def of(cls, numbers: NDArray[np.int64]) -> LabelRuns:
        """Keep what the kernel gives."""
        return cls(FrozenArray("q", numbers.tobytes()))

    @classmethod
    def sum(cls, several: Sequence[LabelRuns]) -> LabelRuns:
        """The sum over masks of the same ids."""
        if len(several) == 1:
            return several[0]
        numbers = np.frombuffer(b"".join([each.numbers for each in several]), np.int64)
        return cls.of(numbers.reshape(len(several), -1).sum(axis=0))

    @property
    def areas(self) -> Sequence[int]:
        """For each id the number of places, one at most for each run of a row, where it fills a box of more than 4 x 4 pixels."""
        return self.numbers[_TOTALS:_TOTALS + (len(self.numbers) - _TOTALS) // 2]

    @property
    def thin(self) -> Sequence[int]:
        """For each id how many of the ramps and ripples are its own."""
        return self.numbers[_TOTALS + (len(self.numbers) - _TOTALS) // 2:]

"""Row order: whether the pixels of a mask were stored column by column and cut into rows, or the other way round.

A line of pixels that runs along a border between two labels meets it again one row further on, at nearly the same column. Where the
pixels of an H x W picture were written column by column and read row by row, the next stretch of the same border is not W pixels further
along the stored rows, but H. So the steps from one label to another are looked up at both distances, and at some others for chance.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST_SIDE = 24
_MOST_STEPS = 256     # from one label to another that are looked at
_LINES = 64           # rows that they are taken from
_NEAR = 2             # pixels by which a border may move from one line to the next
_FEW_STEPS, _SOME_STEPS = 24, 8
_OWN = 0.5            # share of the steps that go on; measured on drawn and real masks: scrambled 0.6 to 1, exact ones 0 to 0.45
_ERRORS = 3.0         # standard errors above chance
# Distances at which only chance goes on, as parts of the one in question; the plain fractions are those of regular patterns.
_ELSEWHERE = (0.25, 0.5, 0.63, 0.75, 0.77, 0.89, 1.11, 1.23, 1.25, 1.37, 1.5)


class Scrambled(IntEnum):
    """How sure it is that rows are scrambled."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


class RowOrder(NamedTuple):
    """What was found of a mask: how sure it is, and whether its rows (else its columns) are cut where its columns (rows) ended."""

    scrambled: Scrambled
    along_rows: bool


def row_order(labels: NDArray[np.integer | np.bool_]) -> RowOrder:
    """Look whether the rows of a mask are scrambled.

    Nothing can be told of square masks, of which the fault makes a transposed one, nor of nearly square ones.

    Parameters
    ----------
    labels
        (H, W) of any integer type.
    """
    height, width = labels.shape
    if min(labels.shape) < LEAST_SIDE or abs(height - width) <= 2 * _NEAR:
        return RowOrder(Scrambled.NO, True)
    found = [RowOrder(_judged(lines), lines is labels) for lines in (labels, labels.T)]
    return max(found, key=lambda each: each.scrambled)


def _judged(lines: NDArray[np.integer | np.bool_]) -> Scrambled:
    number, length = lines.shape
    every = max(1, number // _LINES)
    some = np.ascontiguousarray(lines[::every])
    found = np.flatnonzero(some[:, 1:] != some[:, :-1])
    found = found[::-(-len(found) // _MOST_STEPS) or 1]
    if len(found) < _SOME_STEPS:
        return Scrambled.NO
    line, place = np.divmod(found, length - 1)
    steps = line * (every * length) + place
    own = _share(lines, steps, number)
    if own < _OWN:
        return Scrambled.NO
    margin = _ERRORS * 0.5 / float(len(steps)) ** 0.5
    below = _share(lines, steps, length) + margin * (number > length)  # a longer line shows the picture several times side by side
    if own <= below or _repeated(lines, steps, number):
        return Scrambled.NO
    away = [int(number * part) for part in _ELSEWHERE]
    chance = max((_share(lines, steps, each) for each in away
                  if abs(each - number) > 2 * _NEAR and abs((each + length // 2) % length - length // 2) > 3 * _NEAR), default=1.0)
    if len(steps) >= _FEW_STEPS and own > chance + margin:
        return Scrambled.SURELY
    return Scrambled.PERHAPS if own > chance else Scrambled.NO


def _share(lines: NDArray[np.integer | np.bool_], steps: NDArray[np.intp], distance: int, near: int = _NEAR) -> float:
    """The share of the steps that there is another near, so many pixels further on."""
    at = steps + distance
    at = at[(at >= near) & (at < lines.size - near - 1)]
    if not len(at):
        return 0.0
    labels = lines[np.divmod(at[:, None] + np.arange(-near, near + 2), lines.shape[1])]
    return float((labels[:, 1:] != labels[:, :-1]).any(1).mean())


def _repeated(lines: NDArray[np.integer | np.bool_], steps: NDArray[np.intp], distance: int) -> bool:
    """Whether every border is just so many pixels further on in its line, and moves nowhere: a pattern, laid again and again."""
    inside = steps[steps % lines.shape[1] + distance < lines.shape[1] - 1]
    return _share(lines, steps if len(inside) < _SOME_STEPS else inside, distance, near=0) == 1

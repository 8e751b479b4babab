"""Cut off: whether a mask holds nothing but 0 from the middle of a row on, as a decoder leaves it that fills what is missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_LEAST_ENDS = 2   # things on either side that end at the same place; one may well do so by itself
_SOME_ENDS = 3    # on both sides together, where other masks of the set are cut off
_ABRUPT = 0.85    # share of their pixels that stand in both rows: what ends by itself mostly grows narrow first
_LEAST_WIDTH = 3  # pixels of such an end; the lower rims of things are ragged
_FEW_ROWS = 3     # above the cut


class CutOff(NamedTuple):
    """The place from which on a mask is empty, and whether that alone says that something is missing."""

    row: int
    column: int
    sure: bool


def cut_off(labels: NDArray[np.integer | np.bool_]) -> CutOff | None:
    """Where a mask breaks off, if that is the middle of a row and much ends there.

    Whole rows of 0 are no sign: masks are padded, and the ground may be background.

    Parameters
    ----------
    labels
        (H, W) of any integer type.
    """
    if labels[-1].any():
        return None
    filled = np.flatnonzero((labels != 0).any(axis=1))
    last = int(filled[-1]) if len(filled) else 0
    if last < _FEW_ROWS:
        return None
    column = labels.shape[1] - int((labels[last] != 0)[::-1].argmax())
    ends = [_ends(part) for part in (labels[last - 1:last + 1, :column], labels[last - 2:last, column:])]
    if min(ends) == 0 or sum(ends) < _SOME_ENDS:
        return None
    left, right = labels[last - 1, column - 1:column + 1].tolist()
    return CutOff(last, column, min(ends) >= _LEAST_ENDS and left == right != 0)  # through a thing: two rows of things end between them


def _ends(part: NDArray[np.integer | np.bool_]) -> int:
    """How many things end abruptly below the second of two rows."""
    above, row = part
    there = row != 0
    either = there | (above != 0)
    if not there.any() or (above[either] == row[either]).mean() < _ABRUPT:
        return 0
    cuts = np.flatnonzero(row[1:] != row[:-1]) + 1
    starts, stops = np.r_[0, cuts], np.r_[cuts, len(row)]
    return int((there[starts] & (stops - starts >= _LEAST_WIDTH)).sum())

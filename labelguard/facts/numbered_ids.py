"""NumberedIds: how the ids of one mask lie that run from 1 without a gap, as numbers of objects do and class ids now and then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_VOIDS = (255, 65535)


class NumberedIds(NamedTuple):
    """How they lie.

    Parameters
    ----------
    number
        The highest id, a void label at the top of the type left out.
    compact
        How many of them fill at least a third of their bounding box.
    in_order
        Whether their first pixels follow each other in row order, as after labeling connected components.
    nested
        Whether each lies within the bounding box of the one before, as grades of one thing do.
    """

    number: int
    compact: int
    in_order: bool
    nested: bool


def highest_number(ids: Sequence[int]) -> int | None:
    """The highest of ids that run from 1 without a gap, 0 and a void label at the top of the type left out; None where they have gaps."""
    start = int(ids[0] == 0)
    end = len(ids) - (ids[-1] in _VOIDS and ids[-1] != len(ids) - start)
    return end - start if end > start and ids[start] == 1 and ids[end - 1] == end - start else None


def numbered_ids_of(ids: Sequence[int], records: NDArray[np.int64], width: int) -> NumberedIds | None:
    """How the ids of a mask lie; None where they have gaps, or there is nothing but 0 and void.

    Parameters
    ----------
    ids
        The ids present, ascending.
    records
        As `kernels.tally` gives them, one row for each id.
    width
        Of the mask, in pixels.
    """
    start, number = int(ids[0] == 0), highest_number(ids)
    if number is None:
        return None
    end = start + number
    compact, in_order, nested = 0, True, True
    before = above = leftmost = -1
    lowest = rightmost = 1 << 62
    for _, pixels, row, column, top, left, bottom, right, _ in records[start:end].tolist():
        compact += 3 * pixels >= (bottom - top) * (right - left)
        in_order = in_order and row * width + column > before
        nested = nested and top >= above and left >= leftmost and bottom <= lowest and right <= rightmost
        before, above, leftmost, lowest, rightmost = row * width + column, top, left, bottom, right
    return NumberedIds(number, compact, in_order, nested)

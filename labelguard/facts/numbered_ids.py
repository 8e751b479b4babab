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
    rises
        How many of them begin after the one before, in row order, as all do after labeling connected components.
    """

    number: int
    compact: int
    rises: int


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
    compact = rises = 0
    before = 1 << 62
    for _, pixels, row, column, top, left, bottom, right, _ in records[start:end].tolist():
        compact += 3 * pixels >= (bottom - top) * (right - left)
        rises += row * width + column > before
        before = row * width + column
    return NumberedIds(number, compact, rises)

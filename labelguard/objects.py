"""Objects: how the ids of one mask lie that run from 1 without a gap, as numbers of objects do and class ids now and then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_VOIDS = (255, 65535)


class Objects(NamedTuple):
    """How they lie.

    Parameters
    ----------
    number
        The highest id, a void label at the top of the type left out.
    compact
        How many of them fill at least a third of their bounding box.
    in_order
        Whether their first pixels follow each other in row order, as after labelling connected components.
    nested
        Whether each lies within the bounding box of the one before, as grades of one thing do.
    """

    number: int
    compact: int
    in_order: bool
    nested: bool


def objects_of(ids: Sequence[int], records: NDArray[np.int64], width: int) -> Objects | None:
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
    start = int(ids[0] == 0)
    end = len(ids) - (ids[-1] in _VOIDS and ids[-1] != len(ids) - start)
    if end <= start or ids[start] != 1 or ids[end - 1] != end - start:
        return None
    rows = records[start:end].tolist()
    compact = sum(3 * row[1] >= (row[6] - row[4]) * (row[7] - row[5]) for row in rows)
    places = [row[2] * width + row[3] for row in rows]
    steps = list(pairwise(rows))
    in_order = all(a < b for a, b in pairwise(places))
    nested = all(a[4] <= b[4] and a[5] <= b[5] and a[6] >= b[6] and a[7] >= b[7] for a, b in steps)
    return Objects(end - start, compact, in_order, nested)

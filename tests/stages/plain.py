"""What the stages do, done in the plainest way: wide integers, one pixel or one cell at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.integer]
TYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", ">u2", ">i2", ">i4", ">u4", ">i8", ">u8"]


def remapped(labels: Labels, shift: int = 0, merge: Mapping[int, int] | None = None, ignored: Iterable[int] = ()) -> NDArray[np.int64]:
    """Int64 arithmetic: merged ids to their targets, ignored ids as they are, the others moved by the shift."""
    wide = labels.astype(np.int64)
    out = wide + shift
    for label in ignored:
        out[wide == label] = label
    for label, target in (merge or {}).items():
        out[wide == label] = target
    return out


def resized(labels: Labels, height: int, width: int) -> NDArray[np.int64]:
    """Enlarge every pixel to a block, so that each cell of the result is a whole number of small squares; then count squares."""
    rows, columns = labels.shape
    squares = labels.astype(np.int64).repeat(height, axis=0).repeat(width, axis=1)
    out = np.empty((height, width), np.int64)
    for i, j in np.ndindex(height, width):
        ids, areas = np.unique(squares[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns], return_counts=True)
        out[i, j] = ids[np.argmax(areas)]  # the lowest of those with the largest area
    return out

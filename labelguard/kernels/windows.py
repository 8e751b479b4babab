"""Windows: how many of all windows of one size hold no pixel of some labels? So many random crops lack them.

The compiled twin remembers for each column the row that last held such a pixel. A window that ends in a row lacks them where its columns
have held none since the row in which it began: one walk along the columns counts these, and it is left out where no column has changed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit


def definition(labels: NDArray[np.unsignedinteger], member: NDArray[np.bool_], height: int, width: int) -> int:
    """Count with a summed-area table (Crow 1984, "Summed-area tables for texture mapping").

    Parameters
    ----------
    labels
        (H, W) array of uint8, uint16 or uint32, C-contiguous; every label is an index of `member`.
    member
        (n,) truth values: the labels to look for.
    height, width
        Size of a window, at least 1 and at most H and W.

    Returns
    -------
    int
        Number of windows, of (H - height + 1) x (W - width + 1), without any such pixel.
    """
    sums = np.zeros((labels.shape[0] + 1, labels.shape[1] + 1), np.int64)
    sums[1:, 1:] = member[labels].cumsum(axis=0).cumsum(axis=1)
    inside = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    return int((inside == 0).sum())


@jit.twin(definition)
def windows_without(labels, member, height, width):
    rows, columns = labels.shape
    seen = np.full(columns, -1, np.int32)  # the row that last held a member
    total = in_row = 0
    for row in range(rows):
        past = np.int32(row - height)  # a column holds a member where it was seen after this row
        changed = row == height - 1
        for column in range(columns):
            before = seen[column]
            now = np.int32(row) if member[labels[row, column]] else before
            seen[column] = now
            changed |= (before > past - 1) != (now > past)
        if row < height - 1:
            continue
        if changed:
            in_row = 0
            last = -1
            for column in range(columns):
                if seen[column] > past:
                    last = column
                in_row += last <= column - width
        total += in_row
    return total

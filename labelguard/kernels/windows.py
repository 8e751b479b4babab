"""Windows: how many of all windows of one size hold no pixel of some labels? So many random crops lack them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native


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


@native.twin(definition)
def windows_without(labels: NDArray[np.unsignedinteger], member: NDArray[np.bool_], height: int, width: int) -> int:
    labels, member = native.as_rows(labels), np.ascontiguousarray(member, np.bool_)
    return native.checked(native.library.lg_windows_without(labels.ctypes.data, *labels.shape, labels.itemsize, member.ctypes.data,
                                                            member.size, height, width))

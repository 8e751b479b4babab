"""Unfilter: undo the five row filters of PNG (PNG specification, third edition, section 9).

`raw` is the inflated pixel stream: for each row one byte that names its filter, then the row's bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up), (abs(estimate - corner), 2, corner))[2]


def definition(raw: NDArray[np.uint8], height: int, row_bytes: int, step: int) -> NDArray[np.uint8]:
    """Undo the filters in plain Python.

    Parameters
    ----------
    raw
        1-D uint8 array of `height` x (1 + `row_bytes`) bytes; every filter byte is at most 4.
    height, row_bytes
        Number of rows, and bytes in each.
    step
        Bytes of a whole pixel, at least 1: the distance to the byte "to the left".

    Returns
    -------
    ndarray
        (height, row_bytes) uint8.
    """
    out = np.zeros((height, row_bytes), np.uint8)
    above = [0] * row_bytes
    for row, line in enumerate(raw.reshape(height, row_bytes + 1).tolist()):
        kind, residuals, current = line[0], line[1:], [0] * row_bytes
        for i, residual in enumerate(residuals):
            left, corner = (current[i - step], above[i - step]) if i >= step else (0, 0)
            up = above[i]
            predicted = (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]
            current[i] = (residual + predicted) % 256
        out[row] = above = current
    return out


@native.twin(definition)
def unfilter(raw: NDArray[np.uint8], height: int, row_bytes: int, step: int) -> NDArray[np.uint8]:
    raw, out = native.as_bytes(raw), np.empty((height, row_bytes), np.uint8)
    native.checked(native.library.lg_unfilter(raw.ctypes.data, raw.size, height, row_bytes, step, out.ctypes.data))
    return out

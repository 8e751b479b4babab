"""Unfilter: undo the five row filters of PNG (PNG specification, third edition, section 9).

`raw` is the inflated pixel stream: for each row one byte that names its filter, then the row's bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit

NONE, SUB, UP, AVERAGE, PAETH = range(5)


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


@jit.inner
def predict_paeth(left, up, corner):
    """The one of the three neighbours that is nearest to left + up - corner, in this order of preference."""
    estimate = left + up - corner
    from_left, from_up, from_corner = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    if from_left <= from_up and from_left <= from_corner:
        return left
    return up if from_up <= from_corner else corner


@jit.inner
def undo_row(kind, residuals, above, out, step):
    """Undo the filter of one row of bytes, given the row above (zeros at the top)."""
    n = residuals.size
    if kind == NONE:
        for i in range(n):
            out[i] = residuals[i]
    elif kind == UP:
        for i in range(n):
            out[i] = np.uint8(residuals[i] + above[i])
    else:
        for i in range(n):
            left = np.int64(out[i - step]) if i >= step else 0
            if kind == SUB:
                predicted = left
            elif kind == AVERAGE:
                predicted = (left + np.int64(above[i])) >> 1
            else:
                predicted = predict_paeth(left, np.int64(above[i]), np.int64(above[i - step]) if i >= step else 0)
            out[i] = np.uint8(residuals[i] + predicted)


@jit.twin(definition)
def unfilter(raw, height, row_bytes, step):
    out = np.empty((height, row_bytes), np.uint8)
    above = np.zeros(row_bytes, np.uint8)
    for row in range(height):
        start = row * (row_bytes + 1)
        undo_row(raw[start], raw[start + 1:start + 1 + row_bytes], above, out[row], step)
        above = out[row]
    return out

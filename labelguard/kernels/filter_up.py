"""Filter up: the pixel stream of a PNG whose rows are stored as differences from the row above (filter 2).

Label images change little from row to row, so that nearly all of these differences are zero: they compress well, fast, and are undone
faster than those of any other filter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native


def definition(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put before each row the number of the filter, and its pixels as differences from the row above.

    Parameters
    ----------
    rows
        (H, row bytes) uint8, packed samples.

    Returns
    -------
    ndarray
        1-D uint8 of H x (1 + row bytes).
    """
    out = np.empty((rows.shape[0], rows.shape[1] + 1), np.uint8)
    out[:, 0] = 2
    out[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=out[1:, 1:])
    return out.ravel()


@native.twin(definition)
def filter_up(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rows = native.as_bytes(rows)
    out = np.empty(rows.shape[0] * (rows.shape[1] + 1), np.uint8)
    native.checked(native.library.lg_filter_up(rows.ctypes.data, *rows.shape, out.ctypes.data))
    return out

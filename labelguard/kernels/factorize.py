"""Small unsigned codes for labels of any type: what kernels work on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MANY = 1 << 16   # ids; above, tables with an entry for each are too large
_BAND_PIXELS = 1 << 20  # pixels


def factorize(labels: NDArray[np.integer | np.bool_]) -> tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer] | None]:
    """Small unsigned codes for labels of any type.

    Returns
    -------
    codes, size, ids
        (H, W) uint8, uint16 or uint32, contiguous; a number above all codes; and what each code stands for, ascending, or None where
        codes are the labels themselves.
    """
    if labels.dtype == np.bool_:
        labels = labels.astype(np.uint8)  # no view: the truth of a PIL image is 255
    if labels.dtype.itemsize > 2 or labels.dtype.kind == "i":
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= MANY:
            return rank(labels)  # type: ignore[arg-type]
        labels = labels.astype(np.uint8 if high < 256 else np.uint16)
    return np.ascontiguousarray(labels, labels.dtype.newbyteorder("=")), 1 << (8 * labels.dtype.itemsize), None


def rank(labels: NDArray[np.integer]) -> tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer]]:
    """Each id's rank among the ids present; a band of rows at a time, so that little memory is taken beside the mask."""
    step = max(1, _BAND_PIXELS // labels.shape[1])
    bands = [slice(row, row + step) for row in range(0, len(labels), step)]
    ids = np.unique(np.concatenate([np.unique(labels[band]) for band in bands]))
    codes = np.empty(labels.shape, np.uint16 if len(ids) <= MANY else np.uint32)
    for band in bands:
        codes[band] = np.searchsorted(ids, labels[band])
    return codes, len(ids), ids

"""Small unsigned codes for labels of any type: what kernels work on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

MANY = 1 << 16   # ids; above, tables with an entry for each are too large
_BAND_PIXELS = 1 << 18  # pixels
_COPIES = 3  # of the ids, while they are merged
_PIXEL_BYTES, _ID_BYTES = 48, 256  # what the tally of more than MANY ids takes for each pixel, and facts for each id


def factorize(labels: NDArray[np.integer | np.bool_], take: Callable[[int], None] | None = None
              ) -> tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer] | None]:
    """Small unsigned codes for labels of any type.

    Parameters
    ----------
    labels
        (H, W).
    take
        Is told the bytes that are about to be allocated; it may raise.

    Returns
    -------
    codes, size, ids
        (H, W) uint8, uint16 or uint32, contiguous; a number above all codes; and what each code stands for, ascending, or None where
        codes are the labels themselves.
    """
    if labels.dtype == np.bool_:
        labels = labels.astype(np.uint8)  # no view: the truth of a PIL image is 255
    dtype = labels.dtype.newbyteorder("=")
    if labels.dtype.itemsize > 2 or labels.dtype.kind == "i":
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= MANY:
            return rank(labels, take)  # type: ignore[arg-type]
        dtype = np.dtype(np.uint8 if high < 256 else np.uint16)
    if take is not None and not (dtype == labels.dtype and labels.flags.c_contiguous):
        take(labels.size * dtype.itemsize)
    return labels.astype(dtype, order="C", copy=False), 1 << (8 * dtype.itemsize), None


def rank(labels: NDArray[np.integer], take: Callable[[int], None] | None = None
         ) -> tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer]]:
    """Each id's rank among the ids present; a band of rows at a time, so that little memory is taken beside the mask."""
    step = max(1, _BAND_PIXELS // labels.shape[1])
    bands = [slice(row, row + step) for row in range(0, len(labels), step)]
    ids, found, held = np.empty(0, labels.dtype), [], 0
    for band in bands:
        found.append(_distinct(labels[band]))
        waiting = sum(map(len, found))
        if band is bands[-1] or waiting > max(len(ids), _BAND_PIXELS):  # so that each id is merged a few times, and not with every band
            if take is not None and (needed := _COPIES * labels.itemsize * (len(ids) + waiting)) > held:
                take(needed - held)
                held = needed
            ids, found = _distinct(np.concatenate([ids, *found])), []
    codes = np.empty(labels.shape, np.uint16 if len(ids) <= MANY else np.uint32)
    if take is not None:
        take(codes.nbytes + (_PIXEL_BYTES * codes.size + _ID_BYTES * len(ids) if len(ids) > MANY else 0))
    for band in bands:
        codes[band] = np.searchsorted(ids, labels[band])
    return codes, len(ids), ids


def _distinct(values: NDArray[np.integer]) -> NDArray[np.integer]:
    """The distinct values, ascending. `np.unique` looks each up in a table instead, which takes a hundred times as long for many."""
    ordered = np.sort(values, axis=None)
    distinct: NDArray[np.integer] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return distinct

"""Small unsigned codes for labels of any type: what kernels work on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native

Taker = Callable[[int], None]

MANY = 1 << 16   # ids; above, tables with an entry for each are too large
_BAND_PIXELS = 1 << 18  # pixels
_COPIES = 3  # of the ids, while they are merged
_PIXEL_BYTES, _ID_BYTES = 48, 256  # what the tally of more than MANY ids takes for each pixel, and facts for each id
_HASH_BYTES = 3 << 20  # what the compiled twin takes for up to MANY ids


def factorize(labels: NDArray[np.integer | np.bool_], take: Taker | None = None
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
    if labels.dtype.itemsize > 2 or labels.dtype.kind == "i":
        codes = narrow(labels, take)
        return rank(labels, take) if codes is None else (codes, 1 << 8 * codes.itemsize, None)
    dtype = labels.dtype.newbyteorder("=")
    if take is not None and not (dtype == labels.dtype and labels.flags.c_contiguous):
        take(labels.nbytes)
    return labels.astype(dtype, order="C", copy=False), 1 << 8 * dtype.itemsize, None


def _narrow(labels: NDArray[Any], take: Taker | None = None) -> NDArray[np.unsignedinteger] | None:
    """The labels as uint8, or as uint16; None where one is negative or at least `MANY`."""
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= MANY:
        return None
    dtype = np.dtype(np.uint8 if high < 256 else np.uint16)
    if take is not None:
        take(labels.size * dtype.itemsize)
    return labels.astype(dtype, order="C")


@native.twin(_narrow)
def narrow(labels: NDArray[Any], take: Taker | None = None) -> NDArray[np.unsignedinteger] | None:
    if not _is_plain(labels):
        return _narrow(labels, take)
    for dtype in (np.uint8, np.uint16):  # the second time, what the first took is free again
        if take is not None:
            take(labels.size)
        if (codes := _narrowed(labels, dtype)) is not None:
            return codes
    return None


def _narrowed(labels: NDArray[Any], dtype: type[np.unsignedinteger]) -> NDArray[np.unsignedinteger] | None:
    codes = np.empty(labels.shape, dtype)
    fits = native.library.lg_narrow(labels.ctypes.data, labels.size, labels.itemsize, labels.dtype.kind == "i", codes.ctypes.data,
                                    codes.itemsize)
    return codes if native.checked(fits) else None


def _is_plain(labels: NDArray[Any]) -> bool:
    """Whether the library can go through the labels as they lie."""
    return labels.flags.c_contiguous and labels.dtype.isnative


Ranked = tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer]]


def _rank(labels: NDArray[Any], take: Taker | None = None) -> Ranked:
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


@native.twin(_rank)
def rank(labels: NDArray[Any], take: Taker | None = None) -> Ranked:
    if not _is_plain(labels):
        return _rank(labels, take)
    if take is not None:
        take(2 * labels.size + _HASH_BYTES)
    return _ranked(labels) or _rank(labels, take)


def _ranked(labels: NDArray[Any]) -> Ranked | None:
    """The ranks, where there are no more than `MANY` ids."""
    codes, ids = np.empty(labels.shape, np.uint16), np.empty(MANY, np.int64)
    count = native.checked(native.library.lg_rank(labels.ctypes.data, labels.size, labels.itemsize, labels.dtype.kind == "i",
                                                  codes.ctypes.data, ids.ctypes.data))
    return (codes, count, ids[:count].astype(labels.dtype)) if count else None


def _distinct(values: NDArray[np.integer]) -> NDArray[np.integer]:
    """The distinct values, ascending. `np.unique` looks each up in a table instead, which takes a hundred times as long for many."""
    ordered = np.sort(values, axis=None)
    distinct: NDArray[np.integer] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return distinct

"""Gather: replace every label by what a table says, and notice labels that the table refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native

REFUSED = -1


def definition(labels: NDArray[np.integer], table: NDArray[np.int32], out: NDArray[np.integer]) -> bool:
    """Look labels up with plain numpy.

    Parameters
    ----------
    labels
        (H, W) array of uint8, uint16 or uint32; every label is an index of `table`.
    table
        (n,) int32: the new label for each, or `REFUSED`.
    out
        (H, W) array that takes the new labels; its type holds them. Undefined where a label was refused.

    Returns
    -------
    bool
        Whether no label was refused.
    """
    new = table[labels]
    out[...] = np.maximum(new, 0)
    return bool((new >= 0).all())


@native.twin(definition)
def gather(labels: NDArray[np.integer], table: NDArray[np.int32], out: NDArray[np.integer]) -> bool:
    if out.shape != labels.shape or not out.flags.carray or table.dtype != np.int32:
        raise IndexError(f"{labels.shape} labels and a table of {table.dtype} do not go into {out.shape}")
    labels, table = native.as_rows(labels), np.ascontiguousarray(table)
    return bool(native.checked(native.library.lg_gather(labels.ctypes.data, labels.size, labels.itemsize, table.ctypes.data, table.size,
                                                        out.ctypes.data, out.itemsize)))

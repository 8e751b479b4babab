"""Gather: replace every label by what a table says, and notice labels that the table refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit

REFUSED = -1


def definition(labels: NDArray[np.unsignedinteger], table: NDArray[np.int32], out: NDArray[np.unsignedinteger]) -> bool:
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


@jit.twin(definition)
def gather(labels, table, out):
    union = np.int32(0)
    for row in range(labels.shape[0]):
        source, target = labels[row], out[row]
        for i in range(source.size):
            new = table[source[i]]
            union |= new  # negative once anything was refused
            target[i] = new
    return union >= 0

"""Rows of pixels as machine words: what several kernels share."""

from __future__ import annotations

from labelguard.kernels import jit


@jit.inner
def padded_words(row_bytes):
    """How many 8-byte words a row takes, zero-padded to whole blocks of 64 bytes."""
    return (row_bytes + 63) // 64 * 8


@jit.inner
def copy(source, target):
    """Copy a row; written out, because numba's assignment of slices is many times slower."""
    for i in range(source.size):
        target[i] = source[i]

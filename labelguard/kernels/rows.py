"""Rows of pixels as machine words: what several kernels share."""

from __future__ import annotations

import numpy as np

from labelguard.kernels import jit


@jit.inner
def padded_words(row_bytes):
    """How many 8-byte words a row takes, zero-padded to whole blocks of 64 bytes."""
    return (row_bytes + 63) // 64 * 8


@jit.inner
def copy(source, start, size, target):
    """Copy a row out of a line of them; written out, because numba's assignment of slices is many times slower."""
    row = source[start:start + size]
    for i in range(size):
        target[i] = row[i]


@jit.inner
def differences(current, above, current_words, above_words, columns, before):
    """Find where two rows differ, 64 bytes at a time; the rows are zero-padded to whole blocks."""
    per_block = 64 // current.itemsize
    changes = 0
    for block in range(current_words.size // 8):
        new_words = current_words[8 * block:8 * block + 8]
        old_words = above_words[8 * block:8 * block + 8]
        different = np.uint64(0)
        for k in range(8):
            different |= new_words[k] ^ old_words[k]
        if different != 0:
            new = current[block * per_block:(block + 1) * per_block]
            old = above[block * per_block:(block + 1) * per_block]
            for j in range(per_block):  # store always, keep if different: no branch to mispredict
                columns[changes] = block * per_block + j
                before[changes] = old[j]
                changes += new[j] != old[j]
    return changes


@jit.inner
def find_cuts(current, words, width, cuts):
    """Where runs of a row begin, but for the first; 64 bytes at a time."""
    per_word = 8 // current.itemsize
    bits = np.uint64(8 * current.itemsize)
    found = 0
    blocks = (words.size - 1) // 8
    for block in range(blocks):
        here, after = words[8 * block:8 * block + 8], words[8 * block + 1:8 * block + 9]
        different = np.uint64(0)
        for k in range(8):  # each pixel against its right neighbor: the word moved on by one pixel
            different |= here[k] ^ (here[k] >> bits | after[k] << np.uint64(64 - bits))
        if different != 0:
            for k in range(8):
                if here[k] != here[k] >> bits | after[k] << np.uint64(64 - bits):
                    first = (8 * block + k) * per_word
                    for i in range(first, first + per_word):  # store always, keep if different: no branch to mispredict
                        cuts[found] = i + 1
                        found += current[i] != current[i + 1]
    for i in range(8 * blocks * per_word, width - 1):
        cuts[found] = i + 1
        found += current[i] != current[i + 1]
    while found > 0 and cuts[found - 1] >= width:  # against the padding
        found -= 1
    return found

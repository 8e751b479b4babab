"""Tally: exact counts, first pixel and bounding box of every id of a label array, in one pass.

A record is a row of eight int64: id, pixels, first row, first column, top, left, bottom, right, the last two outside the
box; records are sorted by id.

Label images change little from one row to the next. The compiled twin keeps the counts of the current row and touches them
only where a pixel differs from the one above it: an id's total grows by (count in the row) x (rows since that count last
changed), so a pass costs one comparison of each row with the row above, eight bytes at a time, plus the changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit

RECORD = 8
ID, PIXELS, FIRST_ROW, FIRST_COLUMN, TOP, LEFT, BOTTOM, RIGHT = range(RECORD)

# A row of the running table holds the record in the making, and these two besides.
_IN_ROW, _SINCE = 8, 9
_ENTRY = 10


def definition(labels: NDArray[np.unsignedinteger], size: int) -> NDArray[np.int64]:
    """Tally a label array with plain numpy.

    Parameters
    ----------
    labels
        (H, W) array of uint8, uint16 or uint32, C-contiguous.
    size
        Every label is below it.

    Returns
    -------
    ndarray
        (number of ids, 8) records, int64, sorted by id.
    """
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    ids, starts, counts = np.unique(flat[order], return_index=True, return_counts=True)
    rows, columns = np.divmod(order, labels.shape[1])
    return np.stack([
        ids.astype(np.int64), counts, rows[starts], columns[starts],
        np.minimum.reduceat(rows, starts), np.minimum.reduceat(columns, starts),
        np.maximum.reduceat(rows, starts) + 1, np.maximum.reduceat(columns, starts) + 1,
    ], axis=1).astype(np.int64)


@jit.inner
def new_table(size):
    """Which labels were seen, and their entries; memory is only taken for entries that are used."""
    return np.zeros(size, np.bool_), np.empty((size, _ENTRY), np.int64)


@jit.inner
def _gain(seen, table, label, row, start, end):
    """Pixels start..end of a row now hold `label`."""
    entry = table[label]
    if seen[label]:
        entry[PIXELS] += entry[_IN_ROW] * (row - entry[_SINCE])
        entry[_SINCE] = row
        entry[_IN_ROW] += end - start
        entry[LEFT] = min(entry[LEFT], start)
        entry[RIGHT] = max(entry[RIGHT], end)
    else:
        seen[label] = True
        entry[PIXELS] = 0
        entry[FIRST_ROW] = entry[TOP] = entry[_SINCE] = row
        entry[FIRST_COLUMN] = entry[LEFT] = start
        entry[RIGHT] = end
        entry[_IN_ROW] = end - start


@jit.inner
def _lose(entry, row, pixels):
    """`pixels` pixels of a row no longer hold the label of this entry."""
    entry[PIXELS] += entry[_IN_ROW] * (row - entry[_SINCE])
    entry[_SINCE] = row
    entry[_IN_ROW] -= pixels
    if entry[_IN_ROW] == 0:
        entry[BOTTOM] = row


@jit.inner
def first_row(current, width, seen, table):
    """Account for the topmost row."""
    start = 0
    while start < width:
        end = start + 1
        while end < width and current[end] == current[start]:
            end += 1
        _gain(seen, table, current[start], 0, start, end)
        start = end


@jit.inner
def changed_row(row, current, changes, columns, before, seen, table):
    """Account for a row given where it differs from the one above.

    `columns` and `before` hold the columns that changed, ascending, and what stood there in the row above; `changes` is
    their number. Neighbouring pixels with one story are moved together.
    """
    i = 0
    while i < changes:
        start = columns[i]
        old = before[i]
        new = current[start]
        length = 1
        while (i + length < changes and columns[i + length] == start + length and before[i + length] == old
               and current[start + length] == new):
            length += 1
        _lose(table[old], row, length)
        _gain(seen, table, new, row, start, start + length)
        i += length


@jit.inner
def padded_words(row_bytes):
    """How many 8-byte words a row takes, zero-padded to whole blocks of 64 bytes."""
    return (row_bytes + 63) // 64 * 8


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
def finish(seen, table, height):
    """Close the running counts below the last row; gives the sorted records."""
    used = 0
    for label in range(seen.size):
        used += seen[label]
    records = np.empty((used, RECORD), np.int64)
    used = 0
    for label in range(seen.size):
        if seen[label]:
            entry = table[label]
            entry[ID] = label
            if entry[_IN_ROW] > 0:
                _lose(entry, height, entry[_IN_ROW])
            record = records[used]
            for j in range(RECORD):
                record[j] = entry[j]
            used += 1
    return records


@jit.twin(definition)
def tally(labels, size):
    height, width = labels.shape
    words = np.zeros((2, padded_words(width * labels.itemsize)), np.uint64)
    current_words, above_words = words[0], words[1]
    current, above = current_words.view(labels.dtype), above_words.view(labels.dtype)
    columns, before = np.empty(width + 1, np.int32), np.empty(width + 1, labels.dtype)
    seen, table = new_table(size)
    for row in range(height):
        source = labels[row]
        for j in range(source.size):
            current[j] = source[j]
        if row == 0:
            first_row(current, width, seen, table)
        else:
            changes = differences(current, above, current_words, above_words, columns, before)
            changed_row(row, current, changes, columns, before, seen, table)
        current, above = above, current
        current_words, above_words = above_words, current_words
    return finish(seen, table, height)

"""Tally: exact counts, first pixel, bounding box and share of the frame of every id of a label array, in one pass.

A record is a row of nine int64: id, pixels, first row, first column, top, left, bottom, right, the last two outside the
box, and the number of pixels along the four sides of the image, a corner counted once for each of its sides; records are sorted by id.

Label images change little from one row to the next. The compiled twin remembers for each column in which row its present id
began, and looks only at pixels that differ from the one above: then the id above has held that column for so many rows, and the new
one begins. A pass costs one comparison of each row with the row above, 64 bytes at a time, plus the changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit, rows

RECORD = 9
_PLACES = 16  # for a record in the making: two whole cache lines, found by a shift
ID, PIXELS, FIRST_ROW, FIRST_COLUMN, BOX_TOP, BOX_LEFT, BOX_BOTTOM, BOX_RIGHT, FRAME = range(RECORD)


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
        (number of ids, 9) records, int64, sorted by id.
    """
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    ids, starts, counts = np.unique(flat[order], return_index=True, return_counts=True)
    row, column = np.divmod(order, labels.shape[1])
    sides = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    return np.stack([
        ids.astype(np.int64), counts, row[starts], column[starts],
        np.minimum.reduceat(row, starts), np.minimum.reduceat(column, starts),
        np.maximum.reduceat(row, starts) + 1, np.maximum.reduceat(column, starts) + 1,
        np.bincount(np.searchsorted(ids, sides), minlength=len(ids)),
    ], axis=1).astype(np.int64)


@jit.maker
def new_table(size):
    """Which labels were seen, and their records in the making; memory is only taken for those that are used."""
    return np.zeros(size, np.bool_), np.empty((size, _PLACES), np.int64)


@jit.inner
def _begin(seen, table, label, row, column):
    """A label begins to hold a column; written without views of rows, whose reference counts would cost more than the work."""
    if not seen[label]:
        seen[label] = True
        table[label, ID] = label
        table[label, PIXELS] = table[label, FRAME] = 0
        table[label, FIRST_ROW] = table[label, BOX_TOP] = row
        table[label, FIRST_COLUMN] = table[label, BOX_LEFT] = column
        table[label, BOX_RIGHT] = column + 1
    elif column < table[label, BOX_LEFT]:
        table[label, BOX_LEFT] = column
    elif column >= table[label, BOX_RIGHT]:
        table[label, BOX_RIGHT] = column + 1


@jit.inner
def first_row(current, width, seen, table):
    """Account for the topmost row."""
    for column in range(width):
        _begin(seen, table, current[column], 0, column)
        table[current[column], FRAME] += 1


@jit.inner
def changed_row(row, current, changes, columns, before, since, seen, table):
    """Account for a row given where it differs from the one above.

    `columns` and `before` hold the columns that changed, ascending, and what stood there in the row above; `changes` is
    their number. `since` holds for each column the row in which its present id began.
    """
    if changes > 0 and columns[0] == 0:
        table[before[0], FRAME] += row - since[0]
    if changes > 0 and columns[changes - 1] == since.size - 1:
        table[before[changes - 1], FRAME] += row - since[since.size - 1]
    for i in range(changes):
        column = columns[i]
        old = before[i]
        table[old, PIXELS] += row - since[column]
        table[old, BOX_BOTTOM] = row
        since[column] = row
        _begin(seen, table, current[column], row, column)


@jit.maker
def finish(current, width, height, since, seen, table):
    """Account for what the last row still holds; gives the records, sorted."""
    for column in range(width):
        table[current[column], PIXELS] += height - since[column]
        table[current[column], BOX_BOTTOM] = height
        table[current[column], FRAME] += 1
    table[current[0], FRAME] += height - since[0]
    table[current[width - 1], FRAME] += height - since[width - 1]
    used = 0
    for label in range(seen.size):
        used += seen[label]
    records = np.empty((used, RECORD), np.int64)
    used = 0
    for label in range(seen.size):
        if seen[label]:
            for j in range(RECORD):
                records[used, j] = table[label, j]
            used += 1
    return records


@jit.twin(definition)
def tally(labels, size):
    height, width = labels.shape
    words = np.zeros((2, rows.padded_words(width * labels.itemsize)), np.uint64)
    current_words, above_words = words[0], words[1]
    current, above = current_words.view(labels.dtype), above_words.view(labels.dtype)
    columns, before = np.empty(width + 1, np.int32), np.empty(width + 1, labels.dtype)
    since = np.zeros(width, np.int64)
    seen, table = new_table(size)
    for row in range(height):
        current, above = above, current
        current_words, above_words = above_words, current_words
        rows.copy(labels[row], 0, width, current)
        if row == 0:
            first_row(current, width, seen, table)
        else:
            changes = rows.differences(current, above, current_words, above_words, columns, before)
            changed_row(row, current, changes, columns, before, since, seen, table)
    return finish(current, width, height, since, seen, table)

"""Label runs: how ids change along rows and columns; smoothing leaves short runs of ids that lie between those on either side.

Every row and column is cut into runs of equal ids. A run of more than `LONGEST` pixels is long, and so are those that touch the frame.
A short run between two others is a ramp where its id lies strictly between theirs, and a ripple where it overshoots by little. What
each number counts is said in `labelguard.facts.label_runs`.

Shares are wanted, not sums, so that busy masks are sampled: once a batch of runs of rows was looked at, every second row suffices, after
as many more every fourth, and so on. Of the columns the left half suffices then, later the left quarter, in the order in which their runs
end: a reader of whole rows can stop there. As in `kernels.tally`, the compiled twin comes upon the runs of columns where a pixel differs
from the one above.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit, rows

LONGEST = 4     # pixels of a short run
RIPPLE = 2      # pixels of a ripple
GRID = 8        # pixels of a JPEG block
SLOTS = 256     # pairs of neighbors that are remembered
BATCH = 9           # a batch are 2 ** 9 runs, and 2 ** 6 of a large mask, of whose rows every fourth suffices from the start
LARGE = 1 << 17     # pixels
TOTALS = 11
DIRECT, RAMPS, BANDS, RIPPLES, VARIED, REPEATED, LOOKED, SHORT, ENDS, ON_GRID, OFF_GRID = range(TOTALS)
AREAS, THIN_AREAS = range(2)

_IS_RAMP, _IS_SHORT = 1, 2  # marks of a run

# Where things stand in the book of the compiled twin, a single array because each array that is passed on costs: how many runs were
# looked at, of rows and of columns; whether the row has changed since it was cut, and into how many runs; how it is sampled; the totals;
# what each slot remembers (low id, high id, id of the ramp), once for rows and once for columns; and two numbers for each id.
_ROW_RUNS, _COLUMN_RUNS, _CHANGED, _FOUND, _BATCH, _FIRST, _TOTALS, _MEMORY = 0, 1, 2, 3, 4, 5, 6, 6 + TOTALS
_BY_ID = _MEMORY + 2 * 3 * SLOTS


def definition(labels: NDArray[np.unsignedinteger], records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Go through the runs of every row and column.

    Parameters
    ----------
    labels
        (H, W) array of uint8 or uint16, C-contiguous.
    records
        Those of its n ids, as `kernels.tally` gives them.

    Returns
    -------
    ndarray
        (11 + 2 n,) int64: the totals in the order above, for each id its areas, and for each id its thin runs.
    """
    ids = records[:, 0]
    totals, by_id = np.zeros(TOTALS, np.int64), np.zeros((ids[-1] + 1, 2), np.int64)
    batch, first = sampling(labels.size)
    for image in (labels, labels.T):
        lines = [_runs(line.tolist()) for line in image]
        found = [(number, i) for number, runs in enumerate(lines) for i in range(len(runs))]
        if image is not labels:  # in the order in which a reader of whole rows comes upon their ends
            found = sorted(((number, i) for number, i in found if i > 0), key=lambda at: (lines[at[0]][at[1]][1], at[0]))
        memory: dict[int, tuple[int, int, int]] = {}
        looked = step = 0
        for number, i in found:
            if i == 0:
                step = 1 << first + (looked >> batch)
            if number % step == 0 if image is labels else number < len(lines) >> (looked >> batch):
                looked += 1
                _look(lines[number], i, totals, by_id, memory)
                start, end, label = lines[number][i]
                if image is labels and end - start > LONGEST <= number:
                    box = labels[number - LONGEST:number, (start + end) // 2]
                    by_id[label, AREAS] += bool((box == label).all())
    return np.concatenate([totals, by_id[ids, AREAS], by_id[ids, THIN_AREAS]])


def _runs(line: list[int]) -> list[tuple[int, int, int]]:
    """(start, end, id) of each run of a line."""
    cuts = [0, *(i for i in range(1, len(line)) if line[i] != line[i - 1]), len(line)]
    return [(start, end, line[start]) for start, end in pairwise(cuts)]


def _mark(runs: list[tuple[int, int, int]], i: int) -> int:
    """Whether a run is short, and whether it is a ramp."""
    start, end, label = runs[i]
    if i in (0, len(runs) - 1) or end - start > LONGEST:
        return 0
    return _IS_SHORT | _IS_RAMP * ((label > runs[i - 1][2]) == (runs[i + 1][2] > label))


def _look(runs: list[tuple[int, int, int]], i: int, totals: NDArray[np.int64], by_id: NDArray[np.int64],
          memory: dict[int, tuple[int, int, int]]) -> None:
    """Account for one run of a line."""
    totals[LOOKED] += runs[i][1] - runs[i][0]
    if i == 0:
        return
    (start, end, label), before, earlier, mark = runs[i], runs[i - 1][2], _mark(runs, i - 1), _mark(runs, i)
    totals[DIRECT] += abs(label - before) >= 2 and not (earlier | mark) & _IS_RAMP
    if (earlier ^ mark) & _IS_SHORT:
        totals[ENDS] += 1
        totals[ON_GRID] += start % GRID == 0
        totals[OFF_GRID] += start % GRID == GRID // 2
    if i == len(runs) - 1:
        return
    after = runs[i + 1][2]
    totals[SHORT] += end - start if mark else 0
    if mark & _IS_RAMP:
        totals[RAMPS] += 1
        by_id[label, THIN_AREAS] += 1
        low, high = sorted((before, after))
        if high - low >= 3:
            slot = (31 * low + high) % SLOTS
            if memory.get(slot, ())[:2] == (low, high):
                totals[REPEATED if memory[slot][2] == label else VARIED] += 1
            memory[slot] = low, high, label
    elif mark:
        near, far = sorted((abs(label - before), abs(label - after)))
        if end - start <= RIPPLE and far > 1 and near <= max(1, far // 4):
            totals[RIPPLES] += 1
            by_id[label, THIN_AREAS] += 1
    elif (label > before) == (after > label):
        totals[BANDS] += end - start <= 3 * LONGEST


@jit.inner
def sampling(pixels):
    """How many runs of a mask are looked at before half as many lines suffice, and which rows from the start, as powers of two."""
    return (BATCH, 0) if pixels < LARGE else (BATCH - 3, 2)


@jit.maker
def new_book(height, width, size):
    """The book; where runs of the row begin; and for each column the id of the run before the present one, times 4, plus its mark."""
    book = np.zeros(_BY_ID + 2 * size, np.int64)
    for i in range(_MEMORY, _BY_ID):
        book[i] = -1
    book[_CHANGED] = 1
    book[_BATCH], book[_FIRST] = sampling(height * width)
    return book, np.empty(width + 64, np.int32), np.zeros(width, np.int32)


@jit.maker
def close_book(book, records):
    """What the book says, of the ids of the records."""
    count = len(records)
    numbers = np.empty(TOTALS + 2 * count, np.int64)
    for i in range(TOTALS):
        numbers[i] = book[_TOTALS + i]
    for i in range(count):
        numbers[TOTALS + i] = book[_BY_ID + 2 * records[i, 0] + AREAS]
        numbers[TOTALS + count + i] = book[_BY_ID + 2 * records[i, 0] + THIN_AREAS]
    return numbers


@jit.inner
def _remember(low, high, label, direction, book):
    at = _MEMORY + 3 * (SLOTS * direction + (31 * low + high) % SLOTS)
    if book[at] == low and book[at + 1] == high:
        book[_TOTALS + (REPEATED if book[at + 2] == label else VARIED)] += 1
    else:
        book[at] = low
        book[at + 1] = high
    book[at + 2] = label


@jit.inner
def _take(before, label, after, start, end, mark, direction, book):
    """Account for a run between two others; `mark` is that of the run before, and its own is given back."""
    rises = label > before
    step = abs(label - before)
    is_long = end - start > LONGEST
    if is_long == (mark & _IS_SHORT != 0):
        book[_TOTALS + ENDS] += 1
        book[_TOTALS + ON_GRID] += start % GRID == 0
        book[_TOTALS + OFF_GRID] += start % GRID == GRID // 2
    if (after > label) == rises:
        if not is_long:
            book[_TOTALS + RAMPS] += 1
            book[_TOTALS + SHORT] += end - start
            book[_BY_ID + 2 * label + THIN_AREAS] += 1
            low, high = min(before, after), max(before, after)
            if high - low >= 3:
                _remember(low, high, label, direction, book)
            return _IS_RAMP | _IS_SHORT
        book[_TOTALS + BANDS] += end - start <= 3 * LONGEST
    elif not is_long:
        book[_TOTALS + SHORT] += end - start
        other = abs(after - label)
        near, far = min(step, other), max(step, other)
        if end - start <= RIPPLE and far > 1 and near <= max(1, far // 4):
            book[_TOTALS + RIPPLES] += 1
            book[_BY_ID + 2 * label + THIN_AREAS] += 1
    book[_TOTALS + DIRECT] += step >= 2 and mark & _IS_RAMP == 0
    return 0 if is_long else _IS_SHORT


@jit.inner
def _take_last(before, label, start, mark, book):
    """Account for the run that ends at the frame, which is long."""
    if mark & _IS_SHORT != 0:
        book[_TOTALS + ENDS] += 1
        book[_TOTALS + ON_GRID] += start % GRID == 0
        book[_TOTALS + OFF_GRID] += start % GRID == GRID // 2
    book[_TOTALS + DIRECT] += abs(label - before) >= 2 and mark & _IS_RAMP == 0


@jit.inner
def take_row(row, current, words, width, changes, since, cuts, book):
    """Account for the runs of a row; `since` holds for each column the row in which its present id began."""
    if changes > 0:
        book[_CHANGED] = 1
    if row & ((1 << book[_FIRST] + (book[_ROW_RUNS] >> book[_BATCH])) - 1) != 0:
        return
    if book[_CHANGED] != 0:
        book[_CHANGED] = 0
        book[_FOUND] = rows.find_cuts(current, words, width, cuts)
    found = book[_FOUND]
    cuts[found] = width
    book[_ROW_RUNS] += found + 1
    book[_TOTALS + LOOKED] += width
    before = start = np.int64(0)
    mark, direct, bands = 0, np.int64(0), np.int64(0)
    for i in range(found + 1):
        end = np.int64(cuts[i])
        label = np.int64(current[start])
        is_long = end - start > LONGEST
        if is_long and row - since[(start + end) >> 1] >= LONGEST:
            book[_BY_ID + 2 * label + AREAS] += 1
        if 0 < i < found:
            after = np.int64(current[end])
            if is_long and mark == 0:  # most runs
                direct += abs(label - before) >= 2
                bands += ((after > label) == (label > before)) & (end - start <= 3 * LONGEST)
            else:
                mark = _take(before, label, after, start, end, mark, 0, book)
        elif i > 0:
            _take_last(before, label, start, mark, book)
        before, start = label, end
    book[_TOTALS + DIRECT] += direct
    book[_TOTALS + BANDS] += bands


@jit.inner
def take_changes(row, current, changes, columns, before, since, past, book):
    """Account for the runs of columns that end above a row; called before `since` is brought up to date.

    `columns` and `before` hold the columns that changed and what stood there in the row above, `changes` is their number.
    """
    looked, batch = book[_COLUMN_RUNS], book[_BATCH]
    limit = since.size >> (looked >> batch)
    for i in range(changes):
        column = columns[i]
        if column >= limit:  # they come in order
            break
        start = since[column]
        label = np.int64(before[i])
        mark = 0
        if start > 0:
            looked += 1
            limit = since.size >> (looked >> batch)
            book[_TOTALS + LOOKED] += row - start
            mark = _take(np.int64(past[column] >> 2), label, np.int64(current[column]), start, row, np.int64(past[column] & 3), 1, book)
        past[column] = label << 2 | mark
    book[_COLUMN_RUNS] = looked


@jit.inner
def take_ends(current, width, height, since, past, book):
    """Account for the runs of columns that reach the bottom; called before `since` is closed."""
    for column in range(width):
        if since[column] > 0 and column < width >> (book[_COLUMN_RUNS] >> book[_BATCH]):
            _take_last(np.int64(past[column] >> 2), np.int64(current[column]), since[column], np.int64(past[column] & 3), book)
            book[_COLUMN_RUNS] += 1
            book[_TOTALS + LOOKED] += height - since[column]


@jit.twin(definition)
def count_label_runs(labels, records):
    height, width = labels.shape
    columns, before, since = np.empty(width + 1, np.int32), np.empty(width + 1, labels.dtype), np.zeros(width, np.int64)
    words = np.zeros((2, rows.padded_words(width * labels.itemsize)), np.uint64)
    current_words, above_words = words[0], words[1]
    current, above = current_words.view(labels.dtype), above_words.view(labels.dtype)
    book, cuts, past = new_book(height, width, records[-1, 0] + 1)
    for row in range(height):
        current, above = above, current
        current_words, above_words = above_words, current_words
        rows.copy(labels[row], 0, width, current)
        changes = 0
        if row > 0:
            changes = rows.differences(current, above, current_words, above_words, columns, before)
            take_changes(row, current, changes, columns, before, since, past, book)
            for i in range(changes):
                since[columns[i]] = row
        take_row(row, current, current_words, width, changes, since, cuts, book)
    take_ends(current, width, height, since, past, book)
    return close_book(book, records)

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

from labelguard.kernels import native, tally

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


def sampling(pixels: int) -> tuple[int, int]:
    """How many runs of a mask are looked at before half as many lines suffice, and which rows from the start, as powers of two."""
    return (BATCH, 0) if pixels < LARGE else (BATCH - 3, 2)


def _both(labels: NDArray[np.unsignedinteger], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    records = tally.definition(labels, size)
    return records, definition(labels, records)


@native.twin(_both)
def tally_with_label_runs(labels: NDArray[np.unsignedinteger], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The records of `kernels.tally` and the numbers of `definition`, in one pass."""
    labels = native.as_rows(labels)
    records, numbers = np.empty((size, tally.RECORD), np.int64), np.empty(TOTALS + 2 * size, np.int64)
    count = native.checked(native.library.lg_tally(labels.ctypes.data, *labels.shape, labels.itemsize, size, records.ctypes.data,
                                                   numbers.ctypes.data))
    return records[:count].copy(), numbers[:TOTALS + 2 * count].copy()

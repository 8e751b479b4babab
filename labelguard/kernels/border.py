"""Border: is one id a thin line between other ids, or an area of its own?

Five counts: pixels; core pixels, which survive erosion with a square box (what lies outside the image counts as inside); runs,
horizontal and vertical, with another id at both ends; those of the runs that lie between two different ids; and pixels on the
frame of the image.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit

COUNTS = 5
PIXELS, CORE, RUNS, BETWEEN, FRAME = range(COUNTS)


def definition(labels: NDArray[np.integer], label: int, margin: int) -> NDArray[np.int64]:
    """Count with plain numpy.

    Parameters
    ----------
    labels
        (H, W) integer array.
    label
        The id to look at.
    margin
        The box of the erosion has sides of 2 x `margin` + 1 pixels.

    Returns
    -------
    ndarray
        (5,) int64: pixels, core, runs, between, frame.
    """
    inside = labels == label
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(inside, margin, constant_values=True), (2 * margin + 1,) * 2)
    runs = between = 0
    for lines, flags in ((labels, inside), (labels.T, inside.T)):
        for line, flag in zip(lines, flags, strict=True):
            edges = np.flatnonzero(np.diff(flag))  # an edge e lies between pixels e and e + 1
            starts = [e for e in edges if flag[e + 1]]
            ends = [e + 1 for e in edges if flag[e]]
            if ends and (not starts or ends[0] <= starts[0]):
                ends = ends[1:]  # this run touches the frame
            for start, end in zip(starts, ends, strict=False):
                runs += 1
                between += int(line[start] != line[end])
    frame = inside.copy()
    frame[1:-1, 1:-1] = False
    return np.array([inside.sum(), (windows.all(axis=(2, 3)) & inside).sum(), runs, between, frame.sum()], np.int64)


@jit.inner
def _kept(start, end, limit, margin):
    """How much of the run start..end is left once `margin` is taken off each end that is not at the limit of the image."""
    return max(0, (end if end == limit else end - margin) - (start if start == 0 else start + margin))


@jit.twin(definition)
def border(labels, label, margin):
    height, width = labels.shape
    counts = np.zeros(COUNTS, np.int64)
    run_start = np.full(width, -1, np.int64)    # per column: where the run of `label` began
    wide_start = np.full(width, -1, np.int64)   # per column: where the run of pixels that survive in their row began
    survives = np.zeros(width, np.bool_)
    for row in range(height):
        line = labels[row]
        survives[:] = False
        column = 0
        while column < width:
            if line[column] != label:
                column += 1
                continue
            start = column
            while column < width and line[column] == label:
                column += 1
            counts[PIXELS] += column - start
            if start > 0 and column < width:
                counts[RUNS] += 1
                counts[BETWEEN] += line[start - 1] != line[column]
            first = start if start == 0 else start + margin
            for c in range(first, first + _kept(start, column, width, margin)):
                survives[c] = True
            if row == 0 or row == height - 1:
                counts[FRAME] += column - start
            else:
                counts[FRAME] += (start == 0) + (column == width and width > 1)
        for c in range(width):
            if line[c] == label:
                if run_start[c] < 0:
                    run_start[c] = row
            elif run_start[c] >= 0:
                if run_start[c] > 0:
                    counts[RUNS] += 1
                    counts[BETWEEN] += labels[run_start[c] - 1, c] != line[c]
                run_start[c] = -1
            if survives[c]:
                if wide_start[c] < 0:
                    wide_start[c] = row
            elif wide_start[c] >= 0:
                counts[CORE] += _kept(wide_start[c], row, height, margin)
                wide_start[c] = -1
    for c in range(width):
        if wide_start[c] >= 0:
            counts[CORE] += _kept(wide_start[c], height, height, margin)
    return counts

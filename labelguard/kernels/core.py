"""Core: how many pixels of one id survive erosion with a square box? A line has no core, an area has.

What lies outside the image counts as inside the id, so that an area keeps its core where it meets the frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit


def definition(labels: NDArray[np.integer], label: int, margin: int) -> int:
    """Erode with plain numpy.

    Parameters
    ----------
    labels
        (H, W) integer array.
    label
        The id to look at.
    margin
        The box has sides of 2 x `margin` + 1 pixels.

    Returns
    -------
    int
        Number of pixels whose whole box holds the id.
    """
    inside = np.pad(labels == label, margin, constant_values=True)
    boxes = np.lib.stride_tricks.sliding_window_view(inside, (2 * margin + 1,) * 2)
    return int((boxes.all(axis=(2, 3)) & (labels == label)).sum())


@jit.inner
def _kept(start, end, limit, margin):
    """How much of the run start..end is left once `margin` is taken off each end that is not at the limit of the image."""
    return max(0, (end if end == limit else end - margin) - (start if start == 0 else start + margin))


@jit.twin(definition)
def core(labels, label, margin):
    height, width = labels.shape
    pixels = 0
    began = np.full(width, -1, np.int64)  # per column: where the run of pixels that survive in their row began
    survives = np.zeros(width, np.bool_)
    for row in range(height):
        survives[:] = False
        column = 0
        while column < width:
            start = column
            while column < width and labels[row, column] == label:
                column += 1
            first = start if start == 0 else start + margin
            for c in range(first, first + _kept(start, column, width, margin)):
                survives[c] = True
            column += 1
        for c in range(width):
            if survives[c]:
                if began[c] < 0:
                    began[c] = row
            elif began[c] >= 0:
                pixels += _kept(began[c], row, height, margin)
                began[c] = -1
    for c in range(width):
        if began[c] >= 0:
            pixels += _kept(began[c], height, height, margin)
    return pixels

"""Erosion: how many pixels of one id lie so far inside it that a square box around them holds no other? A line has none, an area has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native

MOST_MARGIN = 127


def definition(labels: NDArray[np.integer], label: int, margin: int) -> int:
    """Count the pixels of one id that survive erosion with a square box.

    What lies outside the image counts as inside the id, so that an area keeps its core where it meets the frame.

    Parameters
    ----------
    labels
        (H, W) array of any integer type.
    label
        The id to look at.
    margin
        The box has sides of 2 x `margin` + 1 pixels; at least 1.

    Returns
    -------
    int
        Number of pixels whose whole box holds the id.
    """
    height, width = labels.shape
    inside = np.pad(np.equal(labels, label), margin, constant_values=True)
    shifts = range(2 * margin + 1)
    rows = np.logical_and.reduce([inside[shift:shift + height] for shift in shifts])
    return int(np.count_nonzero(np.logical_and.reduce([rows[:, shift:shift + width] for shift in shifts])))


@native.twin(definition)
def eroded_pixels(labels: NDArray[np.integer], label: int, margin: int) -> int:
    if margin > MOST_MARGIN:
        return definition(labels, label, margin)
    inside = np.ascontiguousarray(np.equal(labels, label))
    return native.checked(native.library.lg_eroded_pixels(inside.ctypes.data, *inside.shape, margin))

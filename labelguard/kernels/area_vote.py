"""Area vote: resize a label array so that each output cell takes the id that covers the largest exact area of it.

Lengths are integers: along an axis of n source pixels and m cells, a pixel is m long and a cell is n long, and both axes are n x m
long. Areas are products of such lengths, so that nothing is rounded, at any ratio, down or up.

This is the well-known resize of one-hot planes with INTER_AREA and argmax, without its rounding, and its cost does not grow with the
number of classes: a cell that holds one id, as nearly all do, is settled by a comparison; two ids by two sums; only the rest is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native


def coverage(source: int, cells: int) -> NDArray[np.int64]:
    """How much of each cell (row) each source pixel (column) covers along one axis; (cells, source) int64."""
    cell, pixel = np.arange(cells)[:, np.newaxis], np.arange(source)
    starts, ends = np.maximum(cell * source, pixel * cells), np.minimum((cell + 1) * source, (pixel + 1) * cells)
    lengths: NDArray[np.int64] = np.maximum(0, ends - starts)
    return lengths


def definition(labels: NDArray[np.unsignedinteger], height: int, width: int, size: int, thresholds: NDArray[np.int64],
               center: bool) -> NDArray[np.unsignedinteger]:
    """Vote with one exact integer plane of areas for each id.

    Parameters
    ----------
    labels
        (H, W) array of uint8, uint16 or uint32.
    height, width
        Size of the result.
    size
        Every label is below it.
    thresholds
        (size,) int64: a cell takes this label as soon as its area reaches the threshold, whatever else is there; 0 for labels
        that vote like others. Of several such labels the one with the largest area wins.
    center
        Among labels of equal area take the one with a pixel nearest to the middle of the cell, measured to the middles of the
        pixels that the cell touches; else, and where that ties too, the lowest.

    Returns
    -------
    ndarray
        (height, width), the type of `labels`.
    """
    down, across = coverage(labels.shape[0], height), coverage(labels.shape[1], width)
    ids = np.unique(labels)
    areas = np.stack([down @ (labels == label) @ across.T for label in ids])
    kept = areas * (thresholds[ids] > 0)[:, np.newaxis, np.newaxis]
    kept[kept < thresholds[ids][:, np.newaxis, np.newaxis]] = 0
    areas = np.where(kept.any(axis=0), kept, areas)
    if not center:
        winners: NDArray[np.unsignedinteger] = ids[np.argmax(areas, axis=0)]
        return winners
    out = np.empty((height, width), labels.dtype)
    for i, j in np.ndindex(height, width):
        tied = ids[areas[:, i, j] == areas[:, i, j].max()]
        rows, columns = np.flatnonzero(down[i]), np.flatnonzero(across[j])
        dy = ((2 * i + 1) * labels.shape[0] - (2 * rows + 1) * height) * width
        dx = ((2 * j + 1) * labels.shape[1] - (2 * columns + 1) * width) * height
        distances = dy[:, np.newaxis] ** 2 + dx ** 2
        cell = labels[np.ix_(rows, columns)]
        out[i, j] = min((distances[cell == label].min(), label) for label in tied)[1]
    return out


@native.twin(definition)
def area_vote(labels: NDArray[np.unsignedinteger], height: int, width: int, size: int, thresholds: NDArray[np.int64],
              center: bool) -> NDArray[np.unsignedinteger]:
    if thresholds.shape != (size,) or thresholds.dtype != np.int64:
        raise IndexError(f"{size} labels have no {thresholds.shape} thresholds of {thresholds.dtype}")
    labels = native.as_rows(labels)
    out = np.empty((height, width), labels.dtype)
    native.checked(native.library.lg_area_vote(labels.ctypes.data, *labels.shape, labels.itemsize, height, width, size,
                                               thresholds.ctypes.data, center, out.ctypes.data))
    return out

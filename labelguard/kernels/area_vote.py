"""Area vote: resize a label array so that each output cell takes the id that covers the largest exact area of it.

Lengths are integers: along an axis of n source pixels and m cells, a pixel is m long and a cell is n long, and both axes are n x m
long. Areas are products of such lengths, so that nothing is rounded, at any ratio, down or up.

This is the well-known resize of one-hot planes with INTER_AREA and argmax, without its rounding, and its cost does not grow with the
number of classes: a cell that holds one id, as nearly all do, is settled by a comparison; two ids by two sums; only the rest is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit


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


@jit.maker
def _spans(source, cells):
    """For each cell a row: its first pixel, the pixel behind its last, and the lengths that it covers of these two."""
    spans = np.empty((cells, 4), np.int64)
    for cell in range(cells):
        start, end = cell * source, (cell + 1) * source
        first, last = start // cells, (end - 1) // cells
        spans[cell, 0] = first
        spans[cell, 1] = last + 1
        spans[cell, 2] = min(end, (first + 1) * cells) - start
        spans[cell, 3] = end - max(start, last * cells)
    return spans


@jit.inner
def _length(pixel, spans, cell, cells):
    """The length that a cell covers of one of its pixels."""
    if pixel == spans[cell, 0]:
        return spans[cell, 2]
    return spans[cell, 3] if pixel == spans[cell, 1] - 1 else cells


@jit.inner
def _mark_edges(labels, top, bottom, uneven, edges):
    """Mark the columns of a band of rows at which a cell is not of one id: where a pixel differs from its right neighbor in the
    first row, or where it or that neighbor differs further down."""
    first = labels[top]
    width = first.size
    for c in range(width):
        uneven[c] = 0
    for row in range(top + 1, bottom):
        line = labels[row]
        for c in range(width):
            uneven[c] |= line[c] ^ first[c]
    edges[width - 1] = 0
    right, uneven_right, marks = first[1:], uneven[1:], edges[:width - 1]  # slices: a computed index would be checked one by one
    for c in range(right.size):
        marks[c] = uneven[c] | uneven_right[c] | (first[c] ^ right[c])


@jit.maker
def _widen(marks, spare, width):
    """Let each column be marked where any of the `width` columns from it on is, by doubling; gives the buffer that says so, and the
    other one. Columns beyond the end are not marked."""
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        ahead, wider = marks[step:], spare[:marks.size - step]
        for c in range(ahead.size):
            wider[c] = marks[c] | ahead[c]
        for c in range(marks.size - step, marks.size):
            spare[c] = marks[c]
        marks, spare = spare, marks
        covered += step
    return marks, spare


@jit.inner
def _area_of(label, labels, down, i, across, j, height, width):
    """The area of a label in a cell."""
    area = 0
    start, last = across[j, 0], across[j, 1] - 1
    for row in range(down[i, 0], down[i, 1]):
        length = across[j, 2] * (labels[row, start] == label)
        for column in range(start + 1, last):
            length += width * (labels[row, column] == label)
        if last > start:
            length += across[j, 3] * (labels[row, last] == label)
        area += length * _length(row, down, i, height)
    return area


@jit.inner
def _other_than(label, labels, down, i, across, j):
    """The first other label in a cell."""
    for row in range(down[i, 0], down[i, 1]):
        for column in range(across[j, 0], across[j, 1]):
            if labels[row, column] != label:
                return labels[row, column]
    return label


@jit.inner
def _count(labels, down, i, across, j, height, width, areas, met):
    """Add up the area of each label in a cell; gives the number of labels met."""
    found = 0
    for row in range(down[i, 0], down[i, 1]):
        length = _length(row, down, i, height)
        for column in range(across[j, 0], across[j, 1]):
            label = labels[row, column]
            if areas[label] == 0:
                met[found] = label
                found += 1
            areas[label] += length * _length(column, across, j, width)
    return found


@jit.inner
def _distance(label, labels, down, i, across, j, height, width):
    """Squared distance from the middle of a cell to the nearest middle of a pixel that holds the label."""
    best = np.int64(-1)
    for row in range(down[i, 0], down[i, 1]):
        dy = ((2 * i + 1) * labels.shape[0] - (2 * row + 1) * height) * width
        for column in range(across[j, 0], across[j, 1]):
            if labels[row, column] == label:
                dx = ((2 * j + 1) * labels.shape[1] - (2 * column + 1) * width) * height
                distance = dy * dy + dx * dx
                if best < 0 or distance < best:
                    best = distance
    return best


@jit.inner
def _elect(labels, down, i, across, j, height, width, areas, met, thresholds, any_kept, center):
    """Count a cell out: kept labels first, then the largest area, then the tie rule."""
    found = _count(labels, down, i, across, j, height, width, areas, met)
    only_kept = False
    if any_kept:
        for k in range(found):
            label = met[k]
            only_kept |= thresholds[label] > 0 and areas[label] >= thresholds[label]
    best_area = np.int64(-1)
    best_distance = np.int64(-1)
    best = met[0]
    for k in range(found):
        label = met[k]
        if only_kept and (thresholds[label] == 0 or areas[label] < thresholds[label]):
            continue
        if areas[label] < best_area:
            continue
        if areas[label] > best_area:
            best_area, best, best_distance = areas[label], label, np.int64(-1)
        elif not center:
            best = min(best, label)
        else:
            if best_distance < 0:
                best_distance = _distance(best, labels, down, i, across, j, height, width)
            distance = _distance(label, labels, down, i, across, j, height, width)
            if distance < best_distance or (distance == best_distance and label < best):
                best, best_distance = label, distance
    for k in range(found):
        areas[met[k]] = 0
    return best


@jit.twin(definition)
def area_vote(labels, height, width, size, thresholds, center):
    down, across = _spans(labels.shape[0], height), _spans(labels.shape[1], width)
    out = np.empty((height, width), labels.dtype)
    uneven = np.empty(labels.shape[1], labels.dtype)
    edges, spare = np.zeros(labels.shape[1], labels.dtype), np.zeros(labels.shape[1], labels.dtype)
    areas = np.zeros(size, np.int64)
    met = np.empty(size, labels.dtype)
    whole = labels.shape[0] * labels.shape[1]  # the area of a cell
    # A cell of n + 1 columns has n places for an edge; n differs by at most one, so that two windows of the smaller n cover all.
    gaps = across[:, 1] - across[:, 0] - 1
    single = gaps == 0
    inner = max(1, gaps.min())
    starts = across[:, 0].astype(np.uint64)
    ends = np.maximum(across[:, 1] - 1 - inner, across[:, 0]).astype(np.uint64)
    any_kept = False
    for label in range(size):
        any_kept |= thresholds[label] > 0
    for i in range(height):
        _mark_edges(labels, down[i, 0], down[i, 1], uneven, edges)
        edges, spare = _widen(edges, spare, inner)
        top, cells = labels[down[i, 0]], out[i]
        for j in range(width):
            first = top[starts[j]]
            mark = uneven[starts[j]] if single[j] else edges[starts[j]] | edges[ends[j]]
            if mark == 0:
                cells[j] = first
                continue
            if not any_kept:
                if 2 * _area_of(first, labels, down, i, across, j, height, width) > whole:
                    cells[j] = first
                    continue
                other = _other_than(first, labels, down, i, across, j)
                if 2 * _area_of(other, labels, down, i, across, j, height, width) > whole:
                    cells[j] = other
                    continue
            cells[j] = _elect(labels, down, i, across, j, height, width, areas, met, thresholds, any_kept, center)
    return out

"""Outlines that show on any ground: a white line within a black one, and a ring where a thing is too small for an outline."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels.opencv import opencv

_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_RINGS = 24       # at most: more of them hide what they show
_MOST_LOOKED_AT = 300  # parts among which they are spread
_RADIUS = 11      # of a ring, in pixels of the picture; of a small picture, a part of its longer side:
_PART = 20


def outline(pixels: NDArray[np.uint8], where: NDArray[np.bool_]) -> int:
    """Draw a line around what is marked, outside of it, and rings around what is small.

    Parameters
    ----------
    pixels
        (H, W, 3), drawn upon.
    where
        (H, W): what is marked.

    Returns
    -------
    int
        The number of rings.
    """
    once = grown(where)
    twice = grown(once)
    pixels[twice & ~once] = _BLACK
    pixels[once & ~where] = _WHITE
    radius = _radius(where.shape)
    places = _apart(_small_parts(where, 2 * radius // 3), 2 * radius)
    for row, column in places:
        ring(pixels, row, column)
    return len(places)


def ring(pixels: NDArray[np.uint8], row: int, column: int) -> None:
    """Draw a ring around a place of the picture; its middle stays as it is."""
    radius = _radius(pixels.shape)
    top, left = max(0, row - radius - 3), max(0, column - radius - 3)
    near = pixels[top:row + radius + 4, left:column + radius + 4]
    rows, columns = np.ogrid[top:top + near.shape[0], left:left + near.shape[1]]
    distance = abs(np.hypot(rows - row, columns - column) - radius)
    near[distance < (2.5 if radius == _RADIUS else 1.5)] = _BLACK
    near[distance < (1.2 if radius == _RADIUS else 0.7)] = _WHITE


def _radius(shape: tuple[int, ...]) -> int:
    return max(4, min(_RADIUS, max(shape[:2]) // _PART))


def rectangle(pixels: NDArray[np.uint8], box: tuple[int, int, int, int]) -> None:
    """Draw a rectangle around (row0, column0, row1, column1) of the picture, the ends exclusive, outside of it where there is room."""
    where = np.zeros(pixels.shape[:2], np.bool_)
    where[max(0, box[0]):box[2], max(0, box[1]):box[3]] = True
    once = grown(where)
    pixels[grown(once) & ~once] = _BLACK
    pixels[once & ~where] = _WHITE


def grown(where: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is marked, and its eight neighbors."""
    wide = where.copy()
    wide[1:] |= where[:-1]
    wide[:-1] |= where[1:]
    out = wide.copy()
    out[:, 1:] |= wide[:, :-1]
    out[:, :-1] |= wide[:, 1:]
    return out


def _small_parts(where: NDArray[np.bool_], size: int) -> Iterator[tuple[int, int]]:
    """The middles of the connected parts that are no larger, in row order; without OpenCV only the first pixel."""
    if not where.any():
        return
    cv2 = opencv()
    if cv2 is None:
        row, column = np.unravel_index(int(np.argmax(where)), where.shape)
        yield int(row), int(column)
        return
    _, _, boxes, _ = cv2.connectedComponentsWithStats(where.astype(np.uint8), connectivity=8)
    for left, top, width, height, _ in boxes[1:].tolist():  # the first is the ground
        if max(width, height) <= size:
            yield top + height // 2, left + width // 2


def _apart(places: Iterator[tuple[int, int]], least: int) -> list[tuple[int, int]]:
    """Places that are at least so far from each other; the first, and others spread evenly."""
    chosen: list[tuple[int, int]] = []
    for row, column in places:
        if len(chosen) == _MOST_LOOKED_AT:
            break
        if all((row - other) ** 2 + (column - there) ** 2 >= least ** 2 for other, there in chosen):
            chosen.append((row, column))
    return chosen[::-(-len(chosen) // _RINGS) or 1]

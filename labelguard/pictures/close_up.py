"""A close-up: the pixels around one place, each as a cell with its id in it, row and column at the rim."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.lettering import INK, PALE, PAPER, Canvas, text_width
from labelguard.pictures.perception import is_dark
from labelguard.pictures.picture import Picture

_TEXT = 14      # pixels
_CELL = 34      # height of a cell in pixels; its width where ids are short
_PAD = 5        # on both sides of a text


def first_pixel(labels: NDArray[np.integer], ids: Collection[int]) -> tuple[int, int] | None:
    """The first pixel of some ids in row order, as (row, column); None where there is none."""
    where = np.isin(labels, [*ids])
    at = int(np.argmax(where))
    row, column = divmod(at, labels.shape[1])
    return (row, column) if where[row, column] else None


def around(labels: NDArray[np.integer], at: tuple[int, int], radius: int = 4) -> tuple[int, int, NDArray[np.integer]]:
    """The pixels on all sides of one: row and column of the first of them, and their ids; as many at the rim of a mask as elsewhere."""
    top, left = (min(max(0, place - radius), max(0, length - 2 * radius - 1)) for place, length in zip(at, labels.shape, strict=True))
    return top, left, labels[top:top + 2 * radius + 1, left:left + 2 * radius + 1]


def close_up(labels: NDArray[np.integer], colors: ClassColors | None = None, *, at: tuple[int, int], ids: Collection[int] = (),
             radius: int = 4) -> Picture:
    """Show the pixels around one pixel, with their ids.

    Parameters
    ----------
    labels
        (H, W), any integer type.
    colors
        What color each id has.
    at
        The pixel in the middle, (row, column); it gets a frame.
    ids
        Ids whose cells get a thin frame each.
    radius
        How many pixels are shown on each side; at the rim of the mask the window is moved, so that as many are shown.

    Returns
    -------
    Picture
        Of the same pixels for the same arguments.

    Raises
    ------
    IndexError
        When there is no such pixel.
    """
    colors = colors or ClassColors()
    if not (0 <= at[0] < labels.shape[0] and 0 <= at[1] < labels.shape[1]):
        raise IndexError(f"there is no pixel at row {at[0]}, column {at[1]} of {labels.shape[0]} x {labels.shape[1]}")
    top, left, window = around(labels, at, radius)
    height, width = window.shape
    texts = [[str(label) for label in row] for row in window.tolist()]
    columns, rows = [str(left + j) for j in range(width)], [str(top + i) for i in range(height)]
    across = max(_CELL, max(text_width(text, _TEXT) for text in {*columns, *(text for row in texts for text in row)}) + 2 * _PAD)
    rim = max(text_width(text, _TEXT) for text in rows) + 2 * _PAD
    canvas = Canvas(_CELL * (height + 1) + 2, rim + across * width + 2)
    for j, text in enumerate(columns):
        canvas.write(_CELL / 2, rim + across * (j + 0.5), text, _TEXT, INK if left + j == at[1] else PALE, "mm")
    for i, line in enumerate(window.tolist()):
        y = _CELL * (i + 1)
        canvas.write(y + _CELL / 2, rim - _PAD, rows[i], _TEXT, INK if top + i == at[0] else PALE, "rm")
        for j, label in enumerate(line):
            _cell(canvas, y, rim + across * j, across, texts[i][j], colors.of(label), label in ids)
    y, x = _CELL * (at[0] - top + 1), rim + across * (at[1] - left)
    canvas.draw.rectangle((x - 2, y - 2, x + across, y + _CELL), outline=INK, width=2)
    canvas.draw.rectangle((x, y, x + across - 2, y + _CELL - 2), outline=PAPER, width=2)
    return Picture(canvas.pixels(), f"The {height} x {width} pixels around row {at[0]}, column {at[1]} with their ids; there: "
                                    f"{int(labels[at])}.")


def _cell(canvas: Canvas, y: int, x: int, across: int, text: str, color: tuple[int, int, int], framed: bool) -> None:
    """One pixel of the mask; one pixel of the picture is left between cells."""
    ink = PAPER if is_dark(color) else (0, 0, 0)
    canvas.draw.rectangle((x, y, x + across - 2, y + _CELL - 2), fill=color)
    if framed:
        canvas.draw.rectangle((x + 2, y + 2, x + across - 4, y + _CELL - 4), outline=ink)
    canvas.write(y + _CELL / 2 - 1, x + across / 2 - 1, text, _TEXT, ink, "mm")

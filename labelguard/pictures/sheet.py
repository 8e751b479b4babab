"""A sheet: a mask, the place that was found enlarged, and what the colors mean, in one picture."""

from __future__ import annotations

from collections.abc import Sequence

from labelguard.pictures.legend import LegendRow, legend_picture
from labelguard.pictures.lettering import PALE, Canvas, fitting
from labelguard.pictures.picture import Picture
from labelguard.text import printable

_MARGIN, _TITLE, _TEXT = 16, 30, 15  # pixels
_NARROWEST = 420  # of a legend, in pixels


def sheet(title: str, mask: Picture, rows: Sequence[LegendRow], close_up: Picture | None = None) -> Picture:
    """Put pictures of one mask together.

    Parameters
    ----------
    title
        What stands above them, shortened to fit.
    mask
        The mask.
    rows
        Its legend, below.
    close_up
        Beside the mask, or below it where the mask is much wider than high.
    """
    beside = close_up is not None and (mask.width < 1.6 * mask.height or mask.width + close_up.width < 2 * _NARROWEST)
    width = max(mask.width + (close_up.width + _MARGIN if close_up is not None and beside else 0), _NARROWEST)
    below = close_up is not None and not beside
    room = width - (close_up.width + _MARGIN if close_up is not None and below and width - close_up.width > _NARROWEST else 0)
    colors = legend_picture(rows, room)
    top = _MARGIN + _TITLE
    middle = top + max(mask.height, close_up.height if close_up is not None and beside else 0) + _MARGIN
    places = [(top, _MARGIN, mask), (middle, _MARGIN, colors)]
    if close_up is not None:
        stacked = below and room == width
        places.append((top, 2 * _MARGIN + mask.width, close_up) if beside else
                      (middle + (colors.height + _MARGIN) * stacked, _MARGIN if stacked else 2 * _MARGIN + room, close_up))
    height = max(y + picture.height for y, _, picture in places) + _MARGIN
    canvas = Canvas(height, max(x + picture.width for _, x, picture in places) + _MARGIN)
    canvas.write(_MARGIN + _TEXT / 2, _MARGIN, fitting(printable(title), _TEXT, width), _TEXT, PALE)
    for y, x, picture in places:
        canvas.put(y, x, picture.pixels)
    alt = " ".join(picture.alt for _, _, picture in places)
    return Picture(canvas.pixels(), alt, mask.photograph)

"""A legend: what the colors of a picture mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from labelguard.pictures.class_colors import ClassColors, Role
from labelguard.pictures.lettering import PALE, Canvas, fitting, text_width
from labelguard.pictures.palette import HATCH_COLOR
from labelguard.pictures.picture import Picture
from labelguard.spec.labelspec import Color
from labelguard.text import count, percent, printable

_TEXT, _LINE, _PATCH, _GAP, _NAME = 14, 22, 14, 8, 200  # pixels
_STRIPE = 3
_MOST_ROWS = 60


class LegendRow(NamedTuple):
    """What a color means.

    Parameters
    ----------
    label
        The id.
    name
        Of its class; ``ignored`` or ``no class`` for other ids, and empty where classes have no names.
    color
        As (red, green, blue).
    role
        ``"class"``, ``"void"``, whose color is hatched with `labelguard.pictures.palette.HATCH_COLOR`, or ``"foreign"``.
    pixels
        How many it has.
    share
        Of all pixels, in words, such as ``0.3 %``.
    """

    label: int
    name: str
    color: Color
    role: Role
    pixels: int
    share: str


def legend(pixels: Mapping[int, int], colors: ClassColors | None = None) -> tuple[LegendRow, ...]:
    """The rows of a legend, sorted by id; `pixels` says how many each id has, as `MaskFacts.counts` does."""
    colors = colors or ClassColors()
    total = sum(pixels.values())
    return tuple(LegendRow(label, colors.name(label), colors.of(label), colors.role(label), number, percent(number, total))
                 for label, number in sorted(pixels.items()))


def telling(rows: Iterable[LegendRow], most: int) -> list[LegendRow]:
    """So many rows, sorted by id: of the ids with most pixels, and of those that are no class before all others."""
    return sorted(sorted(rows, key=lambda row: (row.role != "foreign", -row.pixels))[:most])


def legend_picture(rows: Sequence[LegendRow], width: int) -> Picture:
    """A legend in columns, at most of a width in pixels; of a long one stand there the `telling` rows, and the count of the rest."""
    shown = telling(rows, _MOST_ROWS)
    texts = [(str(row.label), fitting(printable(row.name), _TEXT, _NAME), row.share) for row in shown]
    ids, names, shares = (max((text_width(text[part], _TEXT) for text in texts), default=0) for part in range(3))
    across = _PATCH + ids + names + shares + (3 + (names > 0)) * _GAP
    columns = max(1, min(len(texts), (width + _GAP) // (across + _GAP)))
    down = -(-len(texts) // columns)
    rest = len(rows) - len(shown)
    canvas = Canvas(_LINE * (down + (rest > 0)), max(width, across))
    for place, (row, (label, name, share)) in enumerate(zip(shown, texts, strict=True)):
        x, y = place // down * (across + _GAP), place % down * _LINE
        _patch(canvas, y + (_LINE - _PATCH) // 2, x, row)
        canvas.write(y + _LINE / 2, x + _PATCH + _GAP + ids, label, _TEXT, anchor="rm")
        canvas.write(y + _LINE / 2, x + _PATCH + ids + 2 * _GAP, name, _TEXT)
        canvas.write(y + _LINE / 2, x + across - _GAP, share, _TEXT, PALE, "rm")
    if rest:
        canvas.write(_LINE * down + _LINE / 2, 0, f"and {count(rest, 'more id')}", _TEXT, PALE)
    alt = f"The colors of {count(len(rows), 'id')}."
    return Picture(canvas.pixels(), alt)


def _patch(canvas: Canvas, y: int, x: int, row: LegendRow) -> None:
    """The color of a row; hatched as in the picture."""
    canvas.draw.rectangle((x, y, x + _PATCH - 1, y + _PATCH - 1), fill=row.color)
    if row.role == "void":
        canvas.draw.point([(x + j, y + i) for i in range(_PATCH) for j in range(_PATCH) if (i + j) // _STRIPE % 2 == 0], HATCH_COLOR)
    canvas.draw.rectangle((x, y, x + _PATCH - 1, y + _PATCH - 1), outline=PALE)

"""What a notebook shows: pictures and a legend as a piece of HTML that stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from labelguard.pictures.legend import LegendRow, telling
from labelguard.pictures.palette import HATCH_COLOR, css
from labelguard.pictures.picture import Picture
from labelguard.text import count, printable

_MOST_ROWS = 40


def figure_html(title: str, pictures: Sequence[Picture], rows: Sequence[LegendRow], more: str = "") -> str:
    """Pictures beside each other with a title above and a legend below.

    Parameters
    ----------
    title
        Plain text.
    pictures
        From left to right.
    rows
        Of the legend; of many, those with most pixels.
    more
        HTML that follows.
    """
    images = "".join(f'<img src="{picture.data_uri()}" width="{picture.width}" height="{picture.height}" alt="{escape(picture.alt)}" '
                     'style="image-rendering:pixelated;margin:0 12px 8px 0">' for picture in pictures)
    shown = telling(rows, _MOST_ROWS)
    rest = f"<span>and {count(len(rows) - len(shown), 'more id')}</span>" if len(shown) < len(rows) else ""
    return (f"<div><div><strong>{escape(printable(title))}</strong></div>"
            f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start">{images}</div>'
            f'<div style="display:flex;flex-wrap:wrap;gap:2px 18px">{"".join(map(_entry, shown))}{rest}</div>{more}</div>')


def _swatch(row: LegendRow) -> str:
    """The color of a legend's row as a CSS background, hatched as in the picture."""
    color = css(row.color)
    return f"repeating-linear-gradient(135deg,{css(HATCH_COLOR)} 0 2px,{color} 2px 4px)" if row.role == "void" else color


def _entry(row: LegendRow) -> str:
    swatch = f'<span style="display:inline-block;width:1em;height:1em;border:1px solid #686e7a;background:{_swatch(row)}"></span>'
    name = f" {escape(printable(row.name))}" if row.name else ""
    return f'<span style="white-space:nowrap">{swatch} {row.label}{name} <small>{row.share}</small></span>'

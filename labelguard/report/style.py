"""The lines of a text report: what is printed in a color is marked until it is known where the line goes."""

from __future__ import annotations

import re

from labelguard.text import printable

_BOLD = "1"
_COLORS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}  # ECMA-48, Select Graphic Rendition
_MARK = re.compile("\0((?:1;)?3[1236]|38;[25];[0-9;]+|[01])m")  # no name of a file holds a NUL


def style(text: str, color: str | None = None, *, bold: bool = False) -> str:
    """Text marked as colored, as a part of a line that `rendered` is given."""
    codes = ";".join([_BOLD] * bold + ([] if color is None else [_COLORS[color]]))
    return style_code(text, codes) if codes else text


def style_code(text: str, codes: str) -> str:
    """The same for any color: `codes` selects it, such as ``38;2;255;0;0`` where a terminal has 24 bits for it."""
    return f"\0{codes}m{text}\0{0}m"


def rendered(line: str, color: bool = False) -> str:
    """A line as it is printed: marks become terminal colors or vanish, and nothing else in it can act on a terminal."""
    if "\0" not in line:
        return printable(line)
    parts = _MARK.split(line)  # text, mark, text, mark, ..., text
    parts[0::2] = map(printable, parts[0::2])
    parts[1::2] = (f"\x1b[{mark}m" if color else "" for mark in parts[1::2])
    return "".join(parts)

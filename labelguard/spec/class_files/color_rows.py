"""Tables of colors and ids: CSV, JSON or TOML in which a color says its id, and several colors may have the same.

::

    color,id             r,g,b,id          {"#804080": 7,             "#804080" = 7
    #804080,7            128,64,128,7       "244,35,232": 8}          "244,35,232" = 8
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from labelguard.spec.class_files.class_list import NotClassesError, color_of, id_of
from labelguard.spec.labelspec import Color

_NUMBERS = re.compile(r"[(\[]?\s*(\d{1,3})\s*[\s,;]\s*(\d{1,3})\s*[\s,;]\s*(\d{1,3})\s*[)\]]?")
_HEX = re.compile(r"#?[0-9a-fA-F]{6}")
_IDS = {"id", "index", "value", "classid", "labelid", "trainid", "to"}
_COLORS = {"color", "colour", "rgb", "hex", "from"}
_NAMES = {"name", "class", "classname", "label", "labelname", "category"}


class ColorRow(NamedTuple):
    """A color, the id that it says, and what that is called, empty where nobody says."""

    color: Color
    label: int
    name: str = ""


def rows_of_csv(text: str) -> list[ColorRow] | None:
    """The rows of a table whose first line names a column of ids and one of colors, or three; None where it names others.

    Raises
    ------
    NotClassesError
        When a row does not fit.
    """
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("##")]
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error as problem:
        raise NotClassesError(f"it is not a table: {problem}") from None
    header = [re.sub(r"[\s_\-]", "", cell).lower() for cell in rows[0]] if rows else []
    label_at, name_at = _column(header, _IDS), _column(header, _NAMES)
    color_at = [_column(header, {long, long[0]}) for long in ("red", "green", "blue")]
    if None in color_at:
        color_at = [_column(header, _COLORS)]
    if label_at is None and name_at is not None and all(row[name_at].strip().isdecimal() for row in rows[1:] if len(row) > name_at):
        label_at, name_at = name_at, None  # classes that are called by their numbers
    places = [at for at in color_at if at is not None]
    if label_at is None or len(places) != len(color_at):
        return None
    found = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise NotClassesError(f"row {number} has {len(row)} cells, and the first row {len(header)}")
        try:
            found.append(ColorRow(parsed_color(",".join(row[at] for at in places)), id_of(row[label_at]),
                                  "" if name_at is None else row[name_at].strip()))
        except NotClassesError as problem:
            raise NotClassesError(f"row {number}: {problem}") from None
    return found


def rows_of_mapping(value: object) -> list[ColorRow] | None:
    """The rows of what a JSON or TOML file holds: colors as keys, ids as keys, pairs of a color and an id, or entries with ``color`` and
    ``id``; None where it is something else.

    Raises
    ------
    NotClassesError
        When some entries fit and others do not.
    """
    if isinstance(value, dict):
        if value and all(str(key).isdecimal() and isinstance(color, list) for key, color in value.items()):
            return list(_rows((color, label) for label, color in value.items()))
        return None if not value or not all(map(_is_color, value)) else list(_rows(value.items()))
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(item, list) and len(item) == 2 and not isinstance(item[1], str) for item in value):
        return list(_rows(value))
    if all(isinstance(item, dict) and "color" in item and "id" in item and "attributes" not in item for item in value):
        names = [item.get("name") for item in value]
        rows = _rows((item["color"], item["id"]) for item in value)
        return [row._replace(name=name if isinstance(name, str) else "") for row, name in zip(rows, names, strict=True)]
    return None


def parsed_color(value: Any) -> Color:
    """A color as people write it: ``128,64,128``, ``(128, 64, 128)``, ``#804080``, or three numbers.

    Raises
    ------
    NotClassesError
        When it is none.
    """
    if isinstance(value, str):
        numbers = _NUMBERS.fullmatch(value.strip())
        if numbers is not None:
            return color_of([int(part) for part in numbers.groups()])
        if _HEX.fullmatch(value.strip()):
            return color_of("#" + value.strip().removeprefix("#"))
    return color_of(value)


def _is_color(key: object) -> bool:
    return isinstance(key, str) and bool(_NUMBERS.fullmatch(key.strip()) or re.fullmatch("#[0-9a-fA-F]{6}", key.strip()))


def _rows(pairs: Iterable[Any]) -> Iterator[ColorRow]:
    for color, label in pairs:
        if isinstance(label, Mapping):
            raise NotClassesError(f"the color {color} has a table where its id should stand")
        yield ColorRow(parsed_color(color), id_of(label))


def _column(header: Iterable[str], known: set[str]) -> int | None:
    return next((at for at, name in enumerate(header) if name in known), None)

"""Class lists in plain text and in tables: one name a line, labelme's labels.txt, CVAT's labelmap.txt, ids or colors beside names, CSV.

The formats are told apart by their content; a line that fits none is refused, since a class list that is misread is a wrong label set.
Sources of the formats: labelme's examples (labels.txt begins with ``__ignore__`` and ``_background_``, which are -1 and 0), CVAT's manual
on segmentation masks (``label:color_rgb:parts:actions``), Roboflow's ``_classes.csv`` (``Pixel Value, Class``), CamVid's label_colors.txt
(red, green, blue, name).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from labelguard.spec.class_files.class_list import ClassList, NotClassesError, color_of, id_of
from labelguard.spec.labelspec import Color

_CVAT = re.compile(r"(?P<name>[^:#]+):(?P<color>\d{1,3},\d{1,3},\d{1,3})?:[^:]*:[^:]*")
_ID_FIRST = re.compile(r"(?P<id>\d+)\s*[\s:,;=]\s*(?P<name>\S.*)")
_COLOR_FIRST = re.compile(r"(?P<color>\d{1,3}[\s,]+\d{1,3}[\s,]+\d{1,3})[\s,]+(?P<name>\S.*)")
_COLOR_LAST = re.compile(r"(?P<name>.*[^\s,\d].*?)[\s,:]+(?P<color>\d{1,3}[\s,]+\d{1,3}[\s,]+\d{1,3})")
_NOT_A_NAME = re.compile(r"[{}\[\]<>=\"|\\\x00-\x08\x0b-\x1f\x7f]|://|[:,]$")
_LONGEST_NAME = 100
_IGNORED = "__ignore__"
_VOID = 255  # what labelme's and CVAT's tools write where nothing is labeled
_ID_COLUMNS = {"id", "index", "idx", "value", "pixelvalue", "classid", "labelid", "classindex", "categoryid"}
_NAME_COLUMNS = {"class", "name", "classname", "labelname", "label", "category", "classes", "names"}

Lines = Sequence[tuple[int, str]]


def read_text(text: str) -> ClassList:
    """Classes from the lines of a text; empty lines and comments are skipped.

    Raises
    ------
    NotClassesError
        When a line is not a class.
    """
    numbered = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    if not lines:
        raise NotClassesError("it names no classes")
    if "label:color_rgb" in text.split("\n", 1)[0] or all(_CVAT.fullmatch(line) for _, line in lines):
        return _cvat(lines)
    if lines[0][1] == _IGNORED:
        return ClassList(_plain(lines[1:]).names, ignored=(_VOID,))
    for pattern in (_COLOR_FIRST, _COLOR_LAST):
        matches = _matches(pattern, lines)
        if matches and all(match["name"].isdecimal() for match in matches):
            raise NotClassesError("its lines are four numbers, and do not say which is the id; write a CSV whose first line is r,g,b,id")
        if matches:
            return ClassList.in_order([match["name"] for match in matches], [_color(match["color"]) for match in matches], "line")
    matches = _matches(_ID_FIRST, lines)
    return ClassList.by_id((match["id"], match["name"]) for match in matches) if matches else _plain(lines)


def _matches(pattern: re.Pattern[str], lines: Lines) -> list[re.Match[str]]:
    """What a pattern makes of all lines; nothing where it is another format.

    Raises
    ------
    NotClassesError
        When it fits most lines, but not all.
    """
    found = {number: pattern.fullmatch(line) for number, line in lines}
    fitting = [match for match in found.values() if match is not None]
    if len(fitting) == len(lines):
        return fitting
    if 2 * len(fitting) > len(lines) and len(fitting) > 1:
        number, line = next((number, line) for number, line in lines if found[number] is None)
        raise NotClassesError(f"line {number}, '{line[:60]}', is not like the other lines, such as '{fitting[0][0][:60]}'")
    return []


def _plain(lines: Lines) -> ClassList:
    if len(lines) == 1 and "," in lines[0][1]:
        raise NotClassesError(f"line {lines[0][0]}, '{lines[0][1][:60]}', is a list with commas; write one name on each line")
    if len(lines) > 1 and all(line.isdecimal() for _, line in lines):
        raise NotClassesError("its lines are numbers, and not names of classes")
    for number, line in lines:
        if _NOT_A_NAME.search(line) or len(line) > _LONGEST_NAME:
            raise NotClassesError(f"line {number}, '{line[:60]}', is not a class name")
    return ClassList.in_order([line for _, line in lines], what="line")


def _cvat(lines: Lines) -> ClassList:
    matches = {number: _CVAT.fullmatch(line) for number, line in lines}
    for number, line in lines:
        if matches[number] is None:
            raise NotClassesError(f"line {number}, '{line[:60]}', is not 'name:red,green,blue:parts:actions' as in CVAT's labelmap.txt")
    found = [match for match in matches.values() if match is not None]
    colors = [_color(match["color"]) for match in found] if all(match["color"] for match in found) else []
    void = [at for at, match in enumerate(found) if match["name"].strip() == _IGNORED]
    classes = ClassList.in_order([match["name"] for at, match in enumerate(found) if at not in void],
                                 [color for at, color in enumerate(colors) if at not in void], "line")
    if not void:
        return classes
    return replace(classes, colors={**classes.colors, _VOID: colors[void[0]]} if colors else {}, ignored=(_VOID,))


def _color(text: str) -> Color:
    return color_of([int(part) for part in re.split(r"[\s,]+", text)])


def read_csv(text: str) -> ClassList:
    """Classes from a CSV whose first line names the columns: a name, and an id, a color (r, g, b) or neither.

    Raises
    ------
    NotClassesError
        When there is no column of names, or a row does not fit.
    """
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True) if any(map(str.strip, row))]
    except csv.Error as problem:
        raise NotClassesError(f"it is not a table: {problem}") from None
    if not rows:
        raise NotClassesError("it names no classes")
    header = [re.sub(r"[\s_\-]", "", cell).lower() for cell in rows[0]]
    name_at, id_at = _column(header, _NAME_COLUMNS), _column(header, _ID_COLUMNS)
    color_at = [_column(header, {long, long[0]}) for long in ("red", "green", "blue")]
    if name_at is None:
        raise NotClassesError(f"its first line, '{delimiter.join(rows[0])[:60]}', names no column 'name' or 'class'")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise NotClassesError(f"row {number} has {len(row)} cells, and the first row {len(header)}")
    names = [row[name_at] for row in rows[1:]]
    colors = [[int(row[at]) if row[at].strip().isdecimal() else None for at in color_at if at is not None] for row in rows[1:]
              ] if None not in color_at else []
    if id_at is None:
        return ClassList.in_order(names, colors, "row")
    ids = [id_of(row[id_at]) for row in rows[1:]]
    return ClassList.by_id(zip(ids, names, strict=True), {label: color_of(color) for label, color in zip(ids, colors, strict=False)})


def _column(header: Iterable[str], known: set[str]) -> int | None:
    return next((at for at, name in enumerate(header) if name in known), None)

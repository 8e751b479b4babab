"""ColorTable: which id each color stands for, as a preset, a class file or a table of colors says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from labelguard.errors import SpecError
from labelguard.spec.class_files.class_list import ClassList, NotClassesError
from labelguard.spec.class_files.color_rows import ColorRow, rows_of_csv, rows_of_mapping
from labelguard.spec.class_files.read import classes_in, json_of, naming, text_of
from labelguard.spec.declarations import presets, read_preset, read_spec
from labelguard.spec.label_spaces import Space, spaces
from labelguard.spec.labelspec import Color, LabelSpec
from labelguard.spec.toml_file import read_toml
from labelguard.text import listed

RGB_IDS = "rgb-ids"
"""In place of a table: the colors are ids, red + 256 green + 65536 blue, as COCO's panoptic masks hold them."""

USUAL_VOID = 255
"""The label of what is ignored, where colors say that something is, and nobody says which label it has."""

_VOID_NAMES = {"__ignore__", "ignore", "ignored", "void"}


@dataclass(frozen=True)
class ColorTable:
    """Which id each color stands for.

    Parameters
    ----------
    ids
        The id of each color.
    spec
        What the ids mean, as far as the source says.
    void
        Colors of what is ignored, which get the label that is ignored, whichever that is.
    shared
        Colors that several classes have, with the names of these: nobody can tell which one is meant where such a color occurs.
    remarks
        What has to be said of the table, in sentences.
    """

    ids: Mapping[Color, int]
    spec: LabelSpec
    void: frozenset[Color] = frozenset()
    shared: Mapping[Color, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def resolved(self, declared: LabelSpec, origin: str) -> tuple[dict[Color, int], LabelSpec]:
        """The whole table, and what its ids mean, where something is declared besides, which wins.

        Raises
        ------
        SpecError
            When an id is neither a class nor ignored, it stays open which label is ignored, or a class has another id in what is declared.
        """
        ignored = declared.ignore_index or self.spec.ignore_index or ((USUAL_VOID,) if self.void else ())
        void = ignored if len(ignored) == 1 else tuple(label for label in ignored if label in self.spec.ignore_index)
        if self.void and len(void) != 1:
            raise SpecError(f"{origin} has a color for what is ignored, and several labels are; declare the one that it gets "
                            "(--ignore-index).", argument="colors")
        table = {**self.ids, **dict.fromkeys(self.void, void[0] if void else USUAL_VOID)}
        used = {label for label in table.values() if label not in ignored}
        number = declared.num_classes or self.spec.num_classes or max(used, default=0) + 1
        if not declared.num_classes and USUAL_VOID in used and USUAL_VOID - 1 not in used:
            raise SpecError(f"{origin} gives a color the id 255: say whether it is ignored (--ignore-index 255) or the last of 256 classes "
                            "(--num-classes 256).", argument="colors")
        _check_order(self.spec.names, declared.names, origin)
        names = declared.names or (self.spec.names if len(self.spec.names) == number else ())
        spec = LabelSpec(number, ignored, names, background=declared.background if declared.declared else self.spec.background)
        wrong = next((color for color, label in table.items() if not spec.is_legal(label)), None)
        if wrong is not None:
            raise SpecError(f"{origin} gives the color {color_text(wrong)} the id {table[wrong]}, which is neither a class nor ignored "
                            f"(classes are 0-{spec.last}). Declare it with --num-classes or --ignore-index.", argument="colors")
        return table, spec


def _check_order(names: tuple[str, ...], declared: tuple[str, ...], origin: str) -> None:
    """Refuse names that are declared in another order: the ids of a list of classes are their places in it."""
    places: dict[str, list[int]] = {}
    for label, name in enumerate(declared):
        places.setdefault(name.casefold(), []).append(label)
    for label, name in enumerate(names):
        if label not in (there := places.get(name.casefold(), [label])):
            raise SpecError(f"{origin} gives '{name}' the id {label}, and the names that are declared give it {listed(there)}. Put the "
                            "classes into one order, or write a table of colors and ids (color,id).", argument="colors")


def color_text(color: Iterable[int]) -> str:
    """A color as class files have it: ``128,64,128``."""
    return ",".join(map(str, color))


def find_colors(name_or_path: str | os.PathLike[str]) -> ColorTable:
    """The colors of a preset, or those that a file declares.

    Parameters
    ----------
    name_or_path
        The name of a preset; or a file: one that `labelguard.read_classes` reads and that has colors, a labelguard.toml with colors, or
        a table of colors and ids in CSV, JSON or TOML.

    Raises
    ------
    SpecError
        When it is neither, has no colors, or gives two classes one color.
    """
    name = os.fspath(name_or_path)
    if name in presets():
        return _of_preset(name)
    if not os.path.lexists(name):
        known = [space.name for space in spaces() if space.spec.colors]
        raise SpecError(f"'{name}' is neither a file nor a preset with colors; presets with colors are {listed(known, 50)}. '{RGB_IDS}' "
                        "takes the colors for ids themselves.", argument="colors")
    with naming(name, "colors"):
        return _of_file(name)


def _of_file(path: str) -> ColorTable:
    suffix = Path(path).suffix.lower()
    if suffix == ".toml":
        try:
            values = read_toml(path)
        except ValueError as problem:
            raise NotClassesError(str(problem)) from None
        rows = rows_of_mapping(values)
        if rows is None:
            spec = read_spec(path)
            return _distinct(_rows_of_spec(spec), spec)
    else:
        text = text_of(path)
        rows = rows_of_csv(text) if suffix in (".csv", ".tsv") else rows_of_mapping(json_of(text)) if suffix == ".json" else None
        if rows is None:
            return _of_classes(classes_in(path, text))
    return _of_rows(rows)


def _rows_of_spec(spec: LabelSpec) -> list[ColorRow]:
    return [ColorRow(color, label, spec.names[label] if spec.names else "") for label, color in enumerate(spec.colors)]


def _of_classes(found: ClassList) -> ColorTable:
    void = frozenset(color for label, color in found.colors.items() if label in found.ignored)
    rows = [ColorRow(color, label, found.names.get(label, "")) for label, color in found.colors.items() if label not in found.ignored]
    try:
        spec = found.spec()
    except NotClassesError:
        return _of_rows(rows)
    return _distinct(rows, replace(spec, colors=()), void)


def _of_rows(rows: list[ColorRow]) -> ColorTable:
    """A table whose rows say their ids; what is called void and stands above a gap is ignored."""
    by_id: dict[int, list[str]] = {}
    for row in rows:
        by_id.setdefault(row.label, []).append(row.name.lower())
    above = sorted(by_id)[-1:]
    ignored = tuple(label for label in above if label == USUAL_VOID and USUAL_VOID - 1 not in by_id and {*by_id[label]} <= _VOID_NAMES)
    if any(not 0 <= label < 1 << 16 for label in by_id):
        raise NotClassesError(f"{next(label for label in by_id if not 0 <= label < 1 << 16)} is no id; ids are 0 to 65535")
    colors: dict[Color, int] = {}
    for row in rows:
        if colors.setdefault(row.color, row.label) != row.label:
            raise NotClassesError(f"the color {color_text(row.color)} is given the ids {colors[row.color]} and {row.label}")
    named = {row.label: row.name for row in reversed(rows) if row.name and row.label not in ignored}
    names = [named[label] for label in sorted(named)] if sorted(named) == [*range(len(by_id) - len(ignored))] else []
    return ColorTable(colors, LabelSpec(None, ignored, names)) if colors else _none()


def _distinct(rows: list[ColorRow], spec: LabelSpec, void: frozenset[Color] = frozenset()) -> ColorTable:
    """A table in which each class has a color of its own."""
    seen: dict[Color, ColorRow] = {}
    for row in rows:
        other = seen.setdefault(row.color, row)
        if other.label != row.label:
            raise NotClassesError(f"{_class(other)} and {_class(row)} have the same color, {color_text(row.color)}, so that masks do not "
                                  "tell them apart; if they are to become one class, write a table of colors and ids (color,id)")
        if row.color in void:
            raise NotClassesError(f"{_class(row)} has the color of what is ignored, {color_text(row.color)}")
    return ColorTable({color: row.label for color, row in seen.items()}, replace(spec, colors=()), void) if seen else _none()


def _class(row: ColorRow) -> str:
    return f"'{row.name}' ({row.label})" if row.name else f"class {row.label}"


def _none() -> ColorTable:
    raise NotClassesError("it declares no colors; --colors takes a labelmap.txt, a preset such as voc, or a table of colors and ids "
                          "(color,id)")


def _of_preset(name: str) -> ColorTable:
    """The colors of a preset; where it has a table from another numbering, the colors of what is ignored by that table are void."""
    space = next(space for space in spaces() if space.name == name)
    spec = read_preset(name)
    if not spec.colors:
        raise SpecError(f"The preset {name} has no colors; give a file that has them, such as a labelmap.txt.", argument="colors")
    groups: dict[Color, list[int]] = {}
    for label, color in enumerate(spec.colors):
        groups.setdefault(color, []).append(label)
    ids = {color: labels[0] for color, labels in groups.items() if len(labels) == 1 or tuple(labels) in space.drawn_alike}
    shared = {color: tuple(map(spec.name_of, labels)) for color, labels in groups.items() if color not in ids}
    void = {*_void_of(space)}
    remarks = [f"{color_text(color)} is the color of {listed(map(spec.name_of, labels), 9)}: all of it becomes {labels[0]}."
               for color, labels in groups.items() if len(labels) > 1 and color in ids]
    remarks += [f"{color_text(color)} is the color of {spec.name_of(ids[color])} and of something that is ignored: all of it becomes "
                f"{ids[color]}." for color in sorted(void & ids.keys())]
    remarks += [f"{color_text(color)} is the color of {listed(classes)}: a file that holds it is refused."
                for color, classes in shared.items()]
    return ColorTable(ids, replace(spec, colors=()), frozenset(void - groups.keys()), shared, tuple(remarks))


def _void_of(space: Space) -> Iterable[Color]:
    """The color of void, and those of what another numbering has and this one ignores."""
    if space.void_color is not None:
        yield space.void_color
    for other in spaces():
        if other.spec.colors:
            yield from (other.spec.colors[label] for label, there in other.to.get(space.name, {}).items() if there is None)

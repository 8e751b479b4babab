"""The tables ``[scan]`` and ``[[accept]]`` of a labelguard.toml: what a plain ``labelguard scan`` looks at, and what it fails on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labelguard.errors import SpecError, UsageError
from labelguard.spec.acceptance import Acceptance, acceptances
from labelguard.spec.argument_checks import as_int, refuse_unknown_keys

TABLES = ("accept", "scan")

Reader = Callable[[Any], Any]
"""Gives a value as the option of the command takes it, its paths as they were written; None where it is of the wrong type."""


@dataclass(frozen=True)
class ScanTable:
    """What the two tables say.

    Parameters
    ----------
    values
        By the names of the keys, as the options of the command take them; paths relative to the current folder.
    accept
        The findings that are accepted.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    accept: tuple[Acceptance, ...] = ()


def scan_table(values: Mapping[str, Any], file: str) -> ScanTable:
    """Read the two tables.

    Parameters
    ----------
    values
        The whole content of the file.
    file
        Its path; those in it are relative to its folder.

    Raises
    ------
    SpecError
        When a key is not known, or of the wrong type.
    """
    table = values.get("scan", {})
    if not isinstance(table, dict):
        raise SpecError(f"{file}: 'scan' is {table!r}; it must be a table, [scan].")
    of_spec = dict.fromkeys(("num_classes", "ignore_index", "names", "colors", "background"), "It belongs above the first table.")
    refuse_unknown_keys(f"{file}: [scan]", table, _KEYS, of_spec)
    read = {}
    for key, given in table.items():
        reader, such_as = _KEYS[key]
        read[key] = reader(given)
        if read[key] is None:
            raise SpecError(f"{file}: [scan]: '{key}' is {given!r}; it must be {such_as}.")
    if isinstance(read.get("images"), dict) and not isinstance(read.get("masks", {}), dict):
        raise SpecError(f"{file}: [scan]: 'images' is a table of splits, and 'masks' is not; name the splits in both.")
    for key in _PATHS & read.keys():
        read[key] = _placed(read[key], os.path.dirname(file))
    try:
        accept = acceptances(values.get("accept", ()), f"{file}: [[accept]] {{}}", first=1)
    except UsageError as problem:
        raise SpecError(str(problem)) from None
    return ScanTable(read, accept)


def preset_of(values: Mapping[str, Any], file: str) -> str | None:
    """The preset that the table ``[scan]`` names; the other keys of the tables are not looked at.

    Raises
    ------
    SpecError
        When it is no text, or a key of the table stands outside of it.
    """
    stray = next((key for key in values if key in _KEYS and key not in TABLES), None)
    if stray is not None:
        raise SpecError(f"{file}: '{stray}' belongs into the table [scan]: write a line '[scan]' above it, below all that says what ids "
                        "mean.")
    table = values.get("scan")
    preset = table.get("preset") if isinstance(table, dict) else None
    if preset is not None and not isinstance(preset, str):
        raise SpecError(f"{file}: [scan]: 'preset' is {preset!r}; it must be the name of a preset, such as \"cityscapes\".")
    return preset


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and "\0" not in value else None


def _texts(value: Any) -> tuple[str, ...] | None:
    several = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    return several if several and all(map(_text, several)) else None


def _folders(value: Any) -> tuple[str, ...] | dict[str, str] | None:
    """Paths, or the folders of splits by their names."""
    if not isinstance(value, dict):
        return _texts(value)
    return value if value and all(name and not {*name} & {*"=/\\"} and _text(folder) for name, folder in value.items()) else None


def _file(value: Any) -> str | None:
    return None if value == "-" else _text(value)


def _number(value: Any) -> int | None:
    number = as_int(value)
    return number if number is not None and number > 0 else None


def _size(value: Any) -> str | None:
    """A size as the option --crop takes it."""
    if isinstance(value, list) and len(value) == 2 and all(map(_number, value)):
        return "x".join(map(str, value))
    return _text(value)


def _one_of(*known: str) -> Reader:
    return lambda value: value if value in known else None


_CODES = 'codes or names of checks, such as ["LG1", "empty-mask"]'
_PATTERNS = 'patterns of names, such as ["*_labelIds.png"]'
_KEYS: dict[str, tuple[Reader, str]] = {
    "preset": (_text, 'the name of a preset, such as "cityscapes"'),
    "masks": (_folders, 'a folder, several, or a table of splits, such as {train = "train/masks", val = "val/masks"}'),
    "images": (_folders, 'a folder, or a table of those of the splits, such as {train = "train/images", val = "val/images"}'),
    "boxes": (_texts, "a COCO file, or several"),
    "include": (_texts, _PATTERNS),
    "exclude": (_texts, _PATTERNS),
    "files_from": (_file, 'a file that lists masks, such as "splits/train.txt"'),
    "select": (_texts, _CODES),
    "ignore": (_texts, _CODES),
    "fail_on": (_one_of("error", "warning", "never"), '"error", "warning" or "never"'),
    "batch_size": (_number, "a whole number, at least 1"),
    "crop": (_size, "a height and a width in pixels, such as [256, 512]"),
    "instances": (lambda value: value if isinstance(value, bool) else None, "true or false"),
    "baseline": (_text, 'a file that --write-baseline has written, such as "labelguard-baseline.json"'),
}
_PATHS = {"masks", "images", "boxes", "files_from", "baseline"}


def _placed(value: Any, folder: str) -> Any:
    """Paths of a file in some folder, as seen from the current one; those of splits as ``NAME=DIR``."""
    if isinstance(value, dict):
        return tuple(f"{name}={_placed(path, folder)}" for name, path in value.items())
    if isinstance(value, tuple):
        return tuple(_placed(path, folder) for path in value)
    path = os.path.join(folder, value)
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path

"""Declarations: a LabelSpec read from flags, a preset, class names, or a labelguard.toml kept beside the data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from labelguard.errors import SpecError
from labelguard.spec.argument_checks import checked_path, instance, whole_numbers
from labelguard.spec.labelspec import LabelSpec
from labelguard.spec.scan_table import TABLES, ScanTable, preset_of, scan_table
from labelguard.spec.toml_file import read_toml
from labelguard.text import did_you_mean, reason

SPEC_FILE_NAME = "labelguard.toml"
_PRESETS = Path(__file__).parent / "presets"


def spec_from_mapping(values: Mapping[str, Any], origin: str) -> LabelSpec:
    """Make a spec from the keys of a labelguard.toml; `origin` is named in errors.

    Raises
    ------
    SpecError
        On an unknown key, a wrong type or a contradiction.
    """
    known = {field.name for field in fields(LabelSpec)}
    unknown = sorted(set(values) - known - {"source"})  # a preset says where it is from
    if unknown:
        near = did_you_mean(unknown[0], {*known, *TABLES})
        raise SpecError(f"{origin}: unknown key '{unknown[0]}'; known are {', '.join(sorted(known))}.{near}")
    for key in ("names", "colors"):
        if not isinstance(values.get(key, []), list):
            raise SpecError(f"{origin}: '{key}' must be a list.")
    if not all(isinstance(name, str) for name in values.get("names", [])):
        raise SpecError(f"{origin}: 'names' must be a list of texts.")
    if not isinstance(values.get("ignore_index", []), (int, list)):
        raise SpecError(f"{origin}: 'ignore_index' must be a whole number or a list of them.")
    try:
        return LabelSpec(**{key: value for key, value in values.items() if key in known})
    except SpecError as problem:
        raise SpecError(f"{origin}: {problem}") from None


def read_spec(path: str | os.PathLike[str]) -> LabelSpec:
    """What a labelguard.toml declares about ids: its keys, over the preset of its table ``[scan]`` where that names one.

    Raises
    ------
    SpecError
        When the file cannot be read, is not TOML, or contradicts itself.
    UsageError
        When `path` is not a path.

    Examples
    --------
    >>> report = labelguard.scan("masks", spec=labelguard.read_spec("labelguard.toml"))  # doctest: +SKIP
    """
    values, name = _content(path)
    preset = preset_of(values, name)
    declared = spec_from_mapping({key: value for key, value in values.items() if key not in TABLES}, name)
    if preset is None:
        return declared
    try:
        base = read_preset(preset)
    except SpecError as problem:
        raise SpecError(f"{name}: [scan]: {problem}") from None
    merged = merge_specs(base, num_classes=declared.num_classes, ignore_index=declared.ignore_index, classes=declared)
    return merged if declared.background is None else replace(merged, background=declared.background)


def read_scan_table(path: str | os.PathLike[str]) -> ScanTable:
    """Read the tables ``[scan]`` and ``[[accept]]`` of a labelguard.toml.

    Raises
    ------
    SpecError
        When the file cannot be read or is not TOML, or a key of the tables is not known or of the wrong type.
    """
    return scan_table(*_content(path))


def _content(path: str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """What a labelguard.toml holds, and what it is called in sentences."""
    path = checked_path("path", path)
    if os.path.islink(path) and not os.path.exists(path):
        raise SpecError(f"{path} is a link to '{os.path.realpath(path)}', which does not exist; remove the link, or mend it.")
    try:
        values = read_toml(path)
        if not values and not os.path.getsize(path):
            raise ValueError("it is empty (0 bytes), as when it was not written to its end. Remove it; 'labelguard init' writes a new one")
    except (OSError, ValueError) as problem:
        raise SpecError(f"{path} cannot be read: {reason(problem)}") from None
    return values, os.fspath(path)


def find_spec_file(start: Path) -> Path | None:
    """The nearest labelguard.toml in a folder or the folders above it, be it readable or not: no run goes on without what it says."""
    return next((folder / SPEC_FILE_NAME for folder in (start, *start.parents) if os.path.lexists(folder / SPEC_FILE_NAME)), None)


def presets() -> dict[str, Path]:
    """The label spaces that come with labelguard, by name."""
    return {path.stem: path for path in sorted(_PRESETS.glob("*.toml"), key=lambda path: path.stem)}


def read_preset(name: str) -> LabelSpec:
    """A label space that comes with labelguard.

    Raises
    ------
    SpecError
        When there is no preset of this name.

    Examples
    --------
    >>> read_preset("voc").num_classes
    21
    """
    if not isinstance(name, str) or name not in presets():
        near = did_you_mean(name, presets()) if isinstance(name, str) else ""
        raise SpecError(f"There is no preset {name!r}; the presets are {', '.join(presets())}.{near}")
    values = read_toml(presets()[name])
    values.pop("space", None)  # what tells this numbering from others: see `labelguard.spec.label_spaces`
    return spec_from_mapping(values, name)


def checked_spec(spec: object) -> LabelSpec:
    """A spec that was given as an argument.

    Raises
    ------
    UsageError
        When it is not a LabelSpec; the sentence says how one is made.
    """
    makes = f"give labelguard.read_preset({spec!r})" if isinstance(spec, str) and spec in presets() else \
        "make one with labelguard.LabelSpec, or read one with labelguard.read_spec or labelguard.read_preset"
    return instance("spec", spec, LabelSpec, makes)


def merge_specs(base: LabelSpec, *, num_classes: int | None = None, ignore_index: int | Iterable[int] = (),
                classes: LabelSpec | None = None) -> LabelSpec:
    """`base` with the arguments that are given in place of its own; its names and colors are dropped where they no longer fit.

    Raises
    ------
    SpecError
        When the result contradicts itself.
    """
    ignored = whole_numbers("ignore_index", ignore_index, error=SpecError)
    if num_classes is not None:
        num_classes = LabelSpec(num_classes).num_classes
    listed = classes or LabelSpec()
    count = num_classes or listed.num_classes or base.num_classes
    fits = count == base.num_classes
    background = base.background if base.background is None or count is None or base.background < count else None
    return replace(base, num_classes=count, ignore_index=ignored or listed.ignore_index or base.ignore_index, background=background,
                   names=listed.names or (base.names if fits else ()),
                   colors=listed.colors or (base.colors if fits and not listed.names else ()))

"""LabelSpec: what the ids of a data set mean; read from flags, a preset, or a labelguard.toml kept beside the data."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from labelguard.errors import SpecError

FILE_NAME = "labelguard.toml"
_PRESETS = Path(__file__).parent / "presets"
_BACKGROUND_NAMES = {"background", "bg", "_background_", "__background__", "unlabelled", "unlabeled"}

Color = tuple[int, int, int]


@dataclass(frozen=True)
class LabelSpec:
    """What the ids of a data set mean.

    Parameters
    ----------
    num_classes
        Classes have the ids 0 to ``num_classes - 1``. None: not declared. Taken from `names` where only those are given.
    ignore_index
        The id, or ids, that the loss skips. They never count as classes.
    names
        Class names in the order of their ids.
    colors
        Class colors as (red, green, blue), in the order of their ids.
    background
        The id that stands for "nothing here"; see `background_id`.

    Raises
    ------
    SpecError
        When the values contradict each other.
    """

    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()  # one id may be given as it is
    names: tuple[str, ...] = ()
    colors: tuple[Color, ...] = ()
    background: int | None = None

    def __post_init__(self) -> None:
        given: object = self.ignore_index
        ignore = tuple(given) if isinstance(given, Iterable) else (given,)
        object.__setattr__(self, "ignore_index", tuple(sorted({_integer("ignore_index", v) for v in ignore})))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "colors", tuple(_color(c) for c in self.colors))
        if self.num_classes is None and self.names:
            object.__setattr__(self, "num_classes", len(self.names))
        if self.num_classes is not None and _integer("num_classes", self.num_classes) < 1:
            raise SpecError(f"num_classes is {self.num_classes}; it must be at least 1.")
        for what in ("names", "colors"):
            count = len(getattr(self, what))
            if count and count != self.num_classes:
                raise SpecError(f"num_classes is {self.num_classes}, but there are {count} {what}; give one for each class.")
        if self.background is not None and not self.is_class(_integer("background", self.background)):
            raise SpecError(f"background is {self.background}, which is no class (num_classes is {self.num_classes}).")

    @property
    def declared(self) -> bool:
        """Whether the number of classes is known."""
        return self.num_classes is not None

    @property
    def last(self) -> int:
        """The highest class id.

        Raises
        ------
        SpecError
            When the number of classes is not declared.
        """
        if self.num_classes is None:
            raise SpecError("The last class is not known: declare the number of classes (num_classes, --num-classes N).")
        return self.num_classes - 1

    @property
    def background_id(self) -> int | None:
        """The id that stands for "nothing here": as declared; else the class that is named so; else 0, or None where classes
        have names and none of them says background."""
        if self.background is not None:
            return self.background
        named = (i for i, name in enumerate(self.names) if name.strip().lower() in _BACKGROUND_NAMES)
        return next(named, None if self.names else 0)

    def is_class(self, label: int) -> bool:
        """Whether an id is a class; any id that is not negative is, while the number of classes is not declared."""
        return label >= 0 and (self.num_classes is None or label < self.num_classes) and label not in self.ignore_index

    def is_legal(self, label: int) -> bool:
        """Whether an id is a class or is ignored."""
        return label in self.ignore_index or self.is_class(label)

    def name_of(self, label: int) -> str:
        """The id with its class name, such as ``3 (road)``, or the bare id."""
        return f"{label} ({self.names[label]})" if 0 <= label < len(self.names) else str(label)


def _integer(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SpecError(f"{what} is {value!r}; it must be a whole number.")
    return value


def _color(value: Any) -> Color:
    if not (isinstance(value, (list, tuple)) and len(value) == 3 and all(isinstance(v, int) and 0 <= v <= 255 for v in value)):
        raise SpecError(f"{value!r} is no color; write three numbers from 0 to 255, such as [128, 64, 128].")
    return (value[0], value[1], value[2])


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
        raise SpecError(f"{origin}: unknown key '{unknown[0]}'; known are {', '.join(sorted(known))}.")
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


def read_spec(path: Path) -> LabelSpec:
    """Read a labelguard.toml.

    Raises
    ------
    SpecError
        When the file cannot be read, is no TOML, or contradicts itself.
    """
    try:
        return spec_from_mapping(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise SpecError(f"{path} cannot be read: {problem}") from None


def find_spec_file(start: Path) -> Path | None:
    """The nearest labelguard.toml in a folder or the folders above it."""
    return next((folder / FILE_NAME for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), None)


def presets() -> dict[str, Path]:
    """The label spaces that come with labelguard, by name."""
    return {path.stem: path for path in sorted(_PRESETS.glob("*.toml"), key=lambda path: path.stem)}


def read_preset(name: str) -> LabelSpec:
    """A label space that comes with labelguard.

    Raises
    ------
    SpecError
        When there is none of this name.
    """
    if name not in presets():
        raise SpecError(f"There is no preset '{name}'; there are {', '.join(presets())}.")
    values = tomllib.loads(presets()[name].read_text(encoding="utf-8"))
    values.pop("space", None)  # what tells this numbering from others: see `labelguard.spec.label_spaces`
    return spec_from_mapping(values, name)


def read_names(path: Path) -> tuple[str, ...]:
    """Class names from a file: a JSON list, or a text with one name a line (empty lines and lines with # are skipped).

    Raises
    ------
    SpecError
        When the file cannot be read or holds no names.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        names = json.loads(text) if path.suffix.lower() == ".json" else [
            line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise SpecError(f"{path} cannot be read as class names: {problem}") from None
    if not (isinstance(names, list) and names and all(isinstance(name, str) for name in names)):
        raise SpecError(f"{path} holds no class names; write one name a line, or a JSON list of names.")
    return tuple(names)


def merge_specs(base: LabelSpec, *, num_classes: int | None = None, ignore_index: Iterable[int] = (),
                names: tuple[str, ...] = ()) -> LabelSpec:
    """Let what is given on the command line win over `base`; names and colors that no longer fit are dropped.

    Raises
    ------
    SpecError
        When the result contradicts itself.
    """
    count = num_classes if num_classes is not None else len(names) or base.num_classes
    fits = count == base.num_classes
    background = base.background if base.background is None or count is None or base.background < count else None
    return replace(base, num_classes=count, ignore_index=tuple(ignore_index) or base.ignore_index, background=background,
                   names=names or (base.names if fits else ()), colors=base.colors if fits else ())

"""LabelSpec: what the ids of a data set mean; read from flags, a preset, or a labelguard.toml kept beside the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from labelguard.errors import SpecError

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

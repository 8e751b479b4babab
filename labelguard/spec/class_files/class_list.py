"""ClassList: what a file says of classes, before it becomes a LabelSpec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labelguard.errors import SpecError
from labelguard.spec.argument_checks import as_int
from labelguard.spec.labelspec import Color, LabelSpec

_MOST = 65_536  # classes: ids above it number objects, or are the keys of a database


class NotClassesError(Exception):
    """What is wrong with a class list; the sentence names the line or the key, and not the file."""


@dataclass(frozen=True)
class ClassList:
    """The classes that a file names.

    Parameters
    ----------
    names
        Class names by id. Ids may be missing; see `spec`.
    colors
        Class colors by id, (red, green, blue).
    ignored
        Ids that the file sets apart as not labeled.
    """

    names: Mapping[int, str]
    colors: Mapping[int, Color] = field(default_factory=dict)
    ignored: Sequence[int] = ()

    @classmethod
    def in_order(cls, names: Sequence[object], colors: Sequence[object] = (), what: str = "name") -> ClassList:
        """Names that count from 0.

        Raises
        ------
        NotClassesError
            When one of them is not a text, or there are not as many colors as names.
        """
        for number, name in enumerate(names):
            if not isinstance(name, str) or not name.strip():
                raise NotClassesError(f"{what} {number + 1} is {_short(name)}, which is not a class name")
        if colors and len(colors) != len(names):
            raise NotClassesError(f"there are {len(names)} names and {len(colors)} colors")
        return cls({i: str(name).strip() for i, name in enumerate(names)}, {i: color_of(color) for i, color in enumerate(colors)})

    @classmethod
    def by_id(cls, entries: Iterable[tuple[object, object]], colors: Mapping[int, Color] | None = None) -> ClassList:
        """Names with their ids, which may be numbers or texts.

        Raises
        ------
        NotClassesError
            When an id comes twice or is not one, or a name is not a text.
        """
        names: dict[int, str] = {}
        for key, name in entries:
            label = id_of(key)
            if not isinstance(name, str) or not name.strip():
                raise NotClassesError(f"the name of {label} is {_short(name)}, which is not a text")
            if label in names:
                raise NotClassesError(f"the id {label} is both '{names[label]}' and '{name.strip()}'")
            names[label] = name.strip()
        return cls(names, colors or {})

    def spec(self) -> LabelSpec:
        """The declaration. Classes have the ids from 0 to the highest named; where 0 alone has no name it is called background, and ids
        that are missing in between are called ``unused-ID``. Colors are kept where every class has one.

        Raises
        ------
        NotClassesError
            When there are no classes, or ids that cannot be classes.
        """
        if not self.names:
            raise NotClassesError("it names no classes")
        wrong = next((label for label in self.names if not 0 <= label < _MOST), None)
        if wrong is not None:
            raise NotClassesError(f"'{self.names[wrong]}' has the id {wrong}; classes have ids from 0 to {_MOST - 1:,}")
        count = max(self.names) + 1
        missing = [label for label in range(count) if label not in self.names]
        if len(missing) > 9 * len(self.names):
            raise NotClassesError(f"it names {len(self.names)} ids up to {count - 1}; these are codes of colors or grey values, "
                                  "and not classes")
        filled = {label: "background" if missing == [0] else f"unused-{label}" for label in missing}
        names = {**filled, **self.names}
        ids = range(count)
        try:
            return LabelSpec(count, self.ignored, [names[label] for label in ids],
                             [self.colors[label] for label in ids] if all(label in self.colors for label in ids) else ())
        except SpecError as problem:
            raise NotClassesError(str(problem).rstrip(".")) from None


def id_of(value: object) -> int:
    """An id that is a number, or a text that is one.

    Raises
    ------
    NotClassesError
        When it is neither.
    """
    label = int(value) if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 20 else as_int(value)
    if label is None:
        raise NotClassesError(f"{_short(value)} is not an id")
    return label


def color_of(value: Any) -> Color:
    """A color: three numbers, or a text such as ``#804080``.

    Raises
    ------
    NotClassesError
        When it is neither.
    """
    if isinstance(value, str) and len(value) == 7 and value.startswith("#"):
        try:
            value = bytes.fromhex(value[1:])
        except ValueError:
            value = None
    parts = [as_int(part) for part in value] if isinstance(value, (list, tuple, bytes)) else []
    red, green, blue = parts if len(parts) == 3 else (None, None, None)
    if red is None or green is None or blue is None or not all(0 <= part <= 255 for part in (red, green, blue)):
        raise NotClassesError(f"{_short(value)} is not a color; colors are three numbers from 0 to 255")
    return red, green, blue


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

"""LabelSpec: what the ids of a data set mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labelguard.errors import SpecError
from labelguard.spec.argument_checks import as_int, texts, whole_number, whole_numbers

_BACKGROUND_NAMES = {"background", "bg", "_background_", "__background__", "unlabelled", "unlabeled"}
Color = tuple[int, int, int]

MOST_CLASSES = 1 << 20
"""Many times what any network tells apart, and few enough for lists with an entry for each."""


@dataclass(frozen=True, init=False)
class LabelSpec:
    """What the ids of a data set mean.

    Frozen, hashable and picklable; ``dataclasses.replace`` gives a changed copy, and the ``repr`` builds an equal one.

    Parameters
    ----------
    num_classes
        Classes have the ids 0 to ``num_classes - 1``; at most `MOST_CLASSES`. None: not declared. Taken from `names` where only those are
        given.
    ignore_index
        The id, or ids, that the loss skips; kept as a sorted tuple. They never count as classes.
    names
        Class names in the order of their ids; kept as a tuple.
    colors
        Class colors as (red, green, blue), 0 to 255, in the order of their ids; kept as a tuple of tuples.
    background
        The id that stands for "nothing here"; see `background_id`.

    Raises
    ------
    SpecError
        When the values contradict each other.

    Examples
    --------
    >>> LabelSpec(3, ignore_index=255, names=["sky", "road", "car"])
    LabelSpec(num_classes=3, ignore_index=(255,), names=('sky', 'road', 'car'), colors=(), background=None)
    """

    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    colors: tuple[Color, ...] = ()
    background: int | None = None

    def __init__(self, num_classes: int | None = None, ignore_index: int | Iterable[int] = (), names: Iterable[str] = (),
                 colors: Iterable[Sequence[int]] = (), background: int | None = None) -> None:
        names = texts("names", names, "a list of texts, one for each class", error=SpecError)
        if num_classes is None and names:
            num_classes = len(names)
        if not isinstance(colors, Iterable):
            raise SpecError(f"colors is {colors!r}; it must be a list of colors, one for each class.", argument="colors")
        values = {
            "num_classes": None if num_classes is None else whole_number("num_classes", num_classes, error=SpecError),
            "ignore_index": tuple(sorted(set(whole_numbers("ignore_index", ignore_index, error=SpecError)))),
            "names": names,
            "colors": tuple(_color(color) for color in colors),
            "background": None if background is None else whole_number("background", background, error=SpecError),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)  # the class is frozen
        self._check()

    def _check(self) -> None:
        if self.num_classes is not None and self.num_classes < 1:
            raise SpecError(f"num_classes is {self.num_classes}; it must be at least 1.", argument="num_classes")
        if self.num_classes is not None and self.num_classes > MOST_CLASSES:
            raise SpecError(f"num_classes is {self.num_classes:,}; it must be at most {MOST_CLASSES:,}, since a network has an output for "
                            "each class. If the ids number objects, or are colors, leave it out.", argument="num_classes")
        for what, given in (("names", self.names), ("colors", self.colors)):
            if given and len(given) != self.num_classes:
                raise SpecError(f"num_classes is {self.num_classes}, but there are {len(given)} {what}; give one for each class.",
                                argument="num_classes")
        if self.background is not None and not self.is_class(self.background):
            raise SpecError(f"background is {self.background}, which is not a class (num_classes is {self.num_classes}).",
                            argument="background")

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


def _color(value: object) -> Color:
    parts = tuple(map(as_int, value)) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else ()
    if len(parts) != 3 or not all(part is not None and 0 <= part <= 255 for part in parts):
        raise SpecError(f"{value!r} is not a color; write three numbers from 0 to 255, such as [128, 64, 128].", argument="colors")
    red, green, blue = (int(part) for part in parts if part is not None)
    return red, green, blue

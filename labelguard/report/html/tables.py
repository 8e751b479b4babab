"""The tables of a page: classes, sizes and encodings, batches and crops, each side by side for the splits where there are some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from labelguard.facts.batch_odds import Crops, batches_of, how_often
from labelguard.facts.record import Kind
from labelguard.pictures.class_colors import ClassColors, Role
from labelguard.pictures.palette import css
from labelguard.report.html.mask_set import MaskSet
from labelguard.text import count, percent, shortened

_MOST_CLASSES = 256
_MOST_KINDS = 40
_MOST_CROPS = 20
_NEVER = 1e-6  # times an epoch


class Amount(NamedTuple):
    """How many there are of something, and their share of all."""

    number: int
    share: float

    @property
    def words(self) -> str:
        """The share in words."""
        return percent(self.share, 1)


class ClassRow(NamedTuple):
    """An id, what it is, its color, and for each set its pixels and the files that hold it."""

    label: int
    name: str
    role: Role
    color: str
    pixels: tuple[Amount, ...]
    files: tuple[Amount, ...]

    @property
    def absent(self) -> bool:
        """Whether no set holds it."""
        return not any(amount.number for amount in self.pixels)


class KindRow(NamedTuple):
    """A size and an encoding, and for each set the files that have them."""

    kind: Kind
    files: tuple[Amount, ...]


class BatchRow(NamedTuple):
    """What some batches lack, how many masks lack it not, the share of batches, and how often one is met."""

    lacking: str
    files: str
    share: Amount
    often: str


def class_rows(sets: tuple[MaskSet, ...], colors: ClassColors) -> tuple[list[ClassRow], int]:
    """A row for each class and for each other id that is there; and how many ids have none, for there are too many."""
    meaning = colors.spec
    there = {label for each in sets for label in each.data.ids}
    classes = range(meaning.last + 1) if meaning.declared and meaning.last < 4 * _MOST_CLASSES else ()
    labels = sorted({*there, *(label for label in classes if label not in meaning.ignore_index)})
    if len(labels) > _MOST_CLASSES:
        pixels = {label: sum(each.data.ids.get(label, 0) for each in sets) for label in labels}
        shown = sorted(sorted(labels, key=lambda label: (colors.role(label) != "foreign", -pixels[label], label))[:_MOST_CLASSES])
    else:
        shown = labels
    rows = [ClassRow(label, shortened(colors.name(label), 200), colors.role(label), css(colors.of(label)),
                     tuple(_amount(each.data.ids.get(label, 0), each.data.pixels) for each in sets),
                     tuple(_amount(each.data.files_with.get(label, 0), each.data.num_exact) for each in sets)) for label in shown]
    return rows, len(labels) - len(rows)


def kind_rows(sets: tuple[MaskSet, ...]) -> tuple[list[KindRow], int]:
    """A row for each size and encoding, the most common first; and how many have none."""
    every = {kind: sum(each.data.kinds().get(kind, 0) for each in sets) for each in sets for kind in each.data.kinds()}
    kinds = sorted(every, key=lambda kind: (-every[kind], kind))
    rows = [KindRow(kind, tuple(_amount(each.data.kinds().get(kind, 0), len(each.data.records)) for each in sets))
            for kind in kinds[:_MOST_KINDS]]
    return rows, len(kinds) - len(rows)


def batch_rows(each: MaskSet, colors: ClassColors) -> Iterator[BatchRow]:
    """What the batches that were asked about lack, those of which most batches are such first; nothing where nobody asked."""
    batches = batches_of(each.data, each.spec)
    if batches is None:
        return
    yield BatchRow("any valid pixel", "", _amount(batches.blind.share), _often(batches.blind.per_epoch))
    if batches.empty is not None:
        yield BatchRow("foreground", "", _amount(batches.empty.share), _often(batches.empty.per_epoch))
    classes = sorted(batches.classes or (), key=lambda of: (-of.absent.share, of.label))
    for of in classes[:_MOST_CLASSES]:
        name = colors.spec.name_of(of.label)
        yield BatchRow(shortened(f"class {name}", 200), f"{of.files:,}", _amount(of.absent.share), _often(of.absent.per_epoch))
    if len(classes) > _MOST_CLASSES:
        yield BatchRow(f"and {count(len(classes) - _MOST_CLASSES, 'more class', 'more classes')}", "", _amount(0), "")


def crop_rows(crops: Crops) -> list[tuple[str, Amount, Amount | None]]:
    """The masks of which most random crops are useless: their names, and the shares without a valid pixel and without foreground."""
    worst = sorted(crops.blind, key=lambda path: (-max(crops.blind[path], crops.empty.get(path, 0)), path))[:_MOST_CROPS]
    return [(shortened(path), _amount(crops.blind[path]), _amount(crops.empty[path]) if path in crops.empty else None)
            for path in worst if crops.blind[path] or crops.empty.get(path)]


def _often(per_epoch: float) -> str:
    return how_often(per_epoch) if per_epoch > _NEVER else "hardly ever" if per_epoch else "never"


def _amount(part: float, whole: float = 1) -> Amount:
    return Amount(int(part), part / whole if whole else 0.0)

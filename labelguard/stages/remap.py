"""Remap: move ids by a whole table, resolved once, in wide integers; nothing can wrap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from labelguard.checks.registry import rule_named
from labelguard.errors import UsageError
from labelguard.facts.mask import Mask, Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.memory import take
from labelguard.finding import Finding
from labelguard.kernels.factorize import factorize, rank
from labelguard.spec.argument_checks import whole_number
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.merge_syntax import MergeTarget, Moves, Source, pairs_of, parse_source, parse_target
from labelguard.stages.stage import Stage, reject_errors
from labelguard.text import id_ranges

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, init=False)
class Remap(Stage):
    """Move ids: merged ids go where the merge says, ignored ids stay, all others move by the shift.

    An id that would leave the classes is refused, not cut and not wrapped: its mask is rejected.

    Parameters
    ----------
    shift
        Added to every id that is neither merged nor ignored.
    merge
        Ids before the shift to ids after it: ``{0: 11}``, ``{(1, 2, 5): 0, "30-33": "last", "road": "ignore"}``. Sources are
        ids, several ids, texts as on the command line, or class names; targets are ids, class names, ``"last"`` or ``"ignore"``.
    table
        Instead of shift and merges: every id and where it goes. An id that is not in it is refused.
    num_classes
        Number of classes of the result. None: not known; then ``"last"`` is not, and ids are only held against their type.
    ignore_index
        The id, or ids, that the loss skips. They pass untouched unless a merge names them.
    names
        Class names of the result, for merges by name; a source name is the id that becomes this class by the shift.

    Raises
    ------
    UsageError
        When an argument makes no sense, or a target is below 0, or neither a class nor ignored.

    Notes
    -----
    The result has the smallest unsigned type that holds the classes and ignored ids, the same for every mask; without `num_classes`
    the type of the mask.
    """

    moves_ids: ClassVar[bool] = True

    shift: int = 0
    merge: Pairs = ()
    table: Pairs | None = None
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    _moves: dict[int, int] = field(init=False, repr=False, compare=False)
    _spec: LabelSpec = field(init=False, repr=False, compare=False)

    def __init__(self, shift: int = 0, merge: Moves = (), table: Moves | None = None, num_classes: int | None = None,
                 ignore_index: int | Iterable[int] = (), names: Iterable[str] = ()) -> None:
        shift = whole_number("shift", shift)
        if table is not None and (shift or merge):
            raise UsageError("A table says where every id goes: leave out shift and merge.", argument="table")
        spec = LabelSpec(num_classes, ignore_index, names)
        moves = _moves_of(pairs_of(merge if table is None else table), shift, spec, "merge" if table is None else "table")
        pairs = tuple(sorted(moves.items()))
        self._set(shift=shift, merge=pairs if table is None else (), table=None if table is None else pairs,
                  num_classes=spec.num_classes, ignore_index=spec.ignore_index, names=spec.names, _moves=moves, _spec=spec)
        self.dtype(np.dtype(np.uint8))  # raises where no type holds the ids

    @property
    def spec(self) -> LabelSpec:
        """What the ids of the result mean."""
        return self._spec

    def target(self, label: int) -> int | None:
        """Where an id goes; None where it is refused."""
        moved = self._moves.get(label)
        if moved is not None:
            return moved
        if label in self.ignore_index:
            return label
        if self.table is not None:
            return None
        moved = label + self.shift
        return moved if self._spec.is_class(moved) else None

    def dtype(self, given: np.dtype[np.integer]) -> np.dtype[np.integer]:
        """The type of the result for labels of a type."""
        if self.num_classes is None:
            return np.dtype(np.uint8) if given == np.bool_ else given
        low, high = min((0, *self.ignore_index)), max((self.num_classes - 1, *self.ignore_index))
        for code in "BHIQ" if low >= 0 else "bhiq":
            if np.iinfo(code).min <= low and high <= np.iinfo(code).max:
                return np.dtype(code)
        raise UsageError(f"No type of integers holds ids from {low} to {high}.")

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """The ids of a mask that have no place in the result."""
        facts = MaskFacts.of_labels(mask.labels)
        limit = np.iinfo(self.dtype(mask.labels.dtype))
        refused = [label for label in facts.present
                   if (moved := self.target(label)) is None or not limit.min <= moved <= limit.max]
        if not refused:
            return ()
        ids, pixels, first, box = facts.region(refused)
        return (rule_named("out-of-range").finding(
            f"{_would_not(ids)} after the remap ({self._what_happens(ids[0], limit)}).",
            path=mask.name or None, ids=ids, pixels=pixels, first=first, box=box,
            fix="Merge these ids into a class or into the ignored id, or declare the number of classes that the result has."),)

    def apply(self, mask: Mask) -> Mask:
        """The mask with its ids moved."""
        labels, dtype = mask.labels, self.dtype(mask.labels.dtype)
        codes, ids = labels, None
        if labels.dtype not in (np.uint8, np.uint16):
            codes, _, ids = factorize(labels, take)
        take(labels.size * dtype.itemsize)
        table = _table(self, codes.dtype, dtype) if ids is None else None
        out = moved_labels(self, labels, dtype) if table is None else _gathered(codes, table, dtype)
        if out is None:
            reject_errors(self.findings(mask), mask)
            raise AssertionError("a refused id without a finding")
        return Mask(out, mask.name, self._stored(mask.stored))

    def whole_table(self, given: np.dtype[np.integer]) -> tuple[NDArray[np.int32], np.dtype[np.integer]] | None:
        """Where each id of an unsigned type goes, and the type of the result; None for a derived class, which may do otherwise."""
        dtype = self.dtype(given)
        table = _table(self, given, dtype) if type(self) is Remap else None
        return None if table is None else (table, dtype)

    def moved_palette(self, palette: bytes) -> bytes:
        """The colors of the ids of the result: they move with their ids."""
        return _moved_palette(self, palette)

    def _stored(self, stored: Storage | None) -> Storage | None:
        """How the result is to be stored: the colors of a palette file move with their ids."""
        if stored is None or stored.palette is None:
            return stored
        return replace(stored, palette=self.moved_palette(stored.palette))

    def _what_happens(self, label: int, limit: np.iinfo[Any]) -> str:
        moved = self.target(label)
        if moved is not None:
            return f"{label} would become {moved}, which {limit.dtype} does not hold"
        if self.table is not None:
            return "not in the table"
        moved = label + self.shift
        what = ", which is ignored" if moved in self.ignore_index else \
            "" if self.num_classes is None else f", classes are 0-{self.num_classes - 1}"
        return f"{label} {'+' if self.shift >= 0 else '-'} {abs(self.shift)} is {moved}{what}"


def _would_not(ids: Sequence[int]) -> str:
    return f"Id {ids[0]} would not be a class" if len(ids) == 1 else f"Ids {id_ranges(ids)} would not be classes"


def _gathered(codes: NDArray[np.integer], table: NDArray[np.int32], dtype: np.dtype[np.integer]) -> NDArray[np.integer] | None:
    """The labels looked up in the whole table; None where one is refused."""
    from labelguard.kernels.gather import gather
    out = np.empty(codes.shape, dtype)
    return out if gather(codes, table, out) else None


def moved_labels(stage: Stage, labels: NDArray[np.integer], dtype: np.dtype[np.integer]) -> NDArray[np.integer] | None:
    """The labels moved where no table can hold all ids: only the ids that are present are looked up. None where one is refused."""
    codes, _, ids = rank(labels, take)
    targets = [stage.target(label) for label in ids.tolist()]
    limit = np.iinfo(dtype)
    if not all(moved is not None and limit.min <= moved <= limit.max for moved in targets):
        return None
    table = np.array(targets, dtype)
    if dtype.isnative and dtype.itemsize <= 4 and int(table.min()) >= 0 and int(table.max()) < 2 ** 31:
        return _gathered(codes, table.astype(np.int32), dtype)
    return table[codes]


@lru_cache(maxsize=64)
def _moved_palette(stage: Remap, palette: bytes) -> bytes:
    """The color of each id of the result: that of the id that the shift brings there, else of the lowest one that is merged into it."""
    sources = sorted(range(len(palette) // 3), key=lambda label: (label in stage._moves, label))
    colors: dict[int, bytes] = {}
    for label in sources:
        moved = stage.target(label)
        if moved is not None and 0 <= moved < 256:
            colors.setdefault(moved, palette[3 * label:3 * label + 3])
    return b"".join(colors.get(label, b"\0\0\0") for label in range(max(colors, default=0) + 1))


@lru_cache(maxsize=64)
def _table(stage: Remap, given: np.dtype[np.integer], dtype: np.dtype[np.integer]) -> NDArray[np.int32] | None:
    """Where each id of an unsigned type goes, or `gather.REFUSED`; None where that is more than such a table can say."""
    from labelguard.kernels.gather import REFUSED
    limit = np.iinfo(dtype)
    targets = [stage.target(label) for label in range(np.iinfo(given).max + 1)]
    targets = [None if moved is None or not limit.min <= moved <= limit.max else moved for moved in targets]
    if not (given.isnative and dtype.isnative) or any(moved is not None and not 0 <= moved < 2 ** 31 for moved in targets):
        return None
    return np.array([REFUSED if moved is None else moved for moved in targets], np.int32)


def _moves_of(pairs: list[tuple[Source, MergeTarget]], shift: int, spec: LabelSpec, what: str) -> dict[int, int]:
    """Every named id with its target, once."""
    moves: dict[int, int] = {}
    for source, wanted in pairs:
        try:
            target, labels = parse_target(wanted, spec), parse_source(source, shift, spec)
        except UsageError as problem:
            raise UsageError(str(problem), argument=what, entry=source) from None
        for label in labels:
            if moves.setdefault(label, target) != target:
                raise UsageError(f"The {what} sends {label} to {moves[label]} and to {target}; give it one target.", argument=what)
    return moves

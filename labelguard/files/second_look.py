"""A second look at some masks, once all were read: whether their rows are scrambled, and whether they break off."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

from labelguard.errors import LabelguardError
from labelguard.facts.cut_off import CutOff, cut_off
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord
from labelguard.facts.row_order import LEAST_SIDE, RowOrder, Scrambled, row_order
from labelguard.files.memory import DEFAULT_BYTES, MemoryBudget
from labelguard.files.read import read

_PIXELS = 1 << 22  # that are read again where nothing is found: a part of a second
_OFTEN = 0.25      # share of the masks that do not look scrambled by chance; of exact ones, one in a thousand does
_SEVERAL = 2       # masks, of which not all are by chance what one of them may be
_UNUSUAL = 1.5     # times as many pixels in short runs, which fewer have to have
_RESTLESS = 3      # times as many pixels in short runs as is usual in the set, from which on a mask is looked at before others


class SecondLook(NamedTuple):
    """What was seen of the masks that were looked at once more: which have scrambled rows, and which break off."""

    scrambled: dict[str, RowOrder]
    cut_off: dict[str, CutOff]


def look_again(data: DatasetFacts, path_of: Callable[[str], str], max_memory: int = DEFAULT_BYTES) -> SecondLook:
    """Read some masks again: first those in which labels change much more often than in the others, then some of all.

    If something is found in one of them, all masks are read that may have it too.

    Parameters
    ----------
    data
        The facts of the set.
    path_of
        Where a mask lies, by its name.
    max_memory
        Bytes that may be taken for one of them.
    """
    shapes = {shape for shape, _ in data.kinds() if min(shape) >= LEAST_SIDE}
    able = [record for record in data.select() if record.shape in shapes and len(record.ids) > 1]
    seen: dict[str, tuple[RowOrder, CutOff | None]] = {}

    def look(records: Iterable[FileRecord]) -> None:
        for record in records:
            if record.path not in seen:
                seen[record.path] = _seen(path_of(record.path), max_memory)
    restless = [_restless(record) for record in able]
    usual = sorted(restless)[len(restless) // 2] if able else 0.0
    look(_some(able[place] for place in sorted(range(len(able)), key=lambda place: -restless[place])
               if restless[place] > _RESTLESS * usual))
    look(_spread(able))
    sure = [path for path, (order, _) in seen.items() if order.scrambled is Scrambled.SURELY]
    if sum(bool(order.scrambled) for order, _ in seen.values()) < max(_OFTEN * len(seen), min(_SEVERAL, len(seen))):
        # Waves may look so by chance, but do not make a mask restless.
        unusual = {record.path for record, much in zip(able, restless, strict=True) if much > _UNUSUAL * usual}
        sure = [path for path in sure if path in unusual]
    ways = {seen[path][0].along_rows for path in sure}
    broken = _break_off([(record.shape, seen[record.path][1]) for record in able if record.path in seen])
    look(record for record in able if (ways and record.shape[0] != record.shape[1]) or (broken and 0 in record.ids))
    scrambled = {path: order for path, (order, _) in seen.items()
                 if path in sure or (order.scrambled and order.along_rows in ways)}
    return SecondLook(scrambled, {path: cut for path, (_, cut) in seen.items() if cut is not None and broken and path not in scrambled})


def _break_off(cuts: Sequence[tuple[tuple[int, int], CutOff | None]]) -> bool:
    """Whether masks break off for sure: one by what ends there, or several at the very same place, below which most others go on.

    Things end at the same height in many pictures of one scene; but then they do in most of them.
    """
    shapes = Counter(shape for shape, _ in cuts)
    places = Counter((shape, cut.row, cut.column) for shape, cut in cuts if cut is not None)
    together = any(_SEVERAL <= number <= shapes[place[0]] / 2 for place, number in places.items())
    return together or any(cut is not None and cut.sure for _, cut in cuts)


def _seen(path: str, max_memory: int) -> tuple[RowOrder, CutOff | None]:
    try:
        labels = MemoryBudget(max_memory).run(read, path).labels
    except LabelguardError:
        return RowOrder(Scrambled.NO, True), None  # it changed since it was read
    return row_order(labels), cut_off(labels)


def _restless(record: FileRecord) -> float:
    """The share of its pixels that lie in short runs of equal labels."""
    runs = record.label_runs
    return runs.short / max(1, runs.looked) if runs is not None else 0.0


def _some(records: Iterable[FileRecord]) -> Iterator[FileRecord]:
    """The first of them, until there are enough pixels; one in any case."""
    pixels = 0
    for record in records:
        if pixels > 0 and pixels + record.shape[0] * record.shape[1] > _PIXELS:
            return
        pixels += record.shape[0] * record.shape[1]
        yield record


def _spread(records: Iterable[FileRecord]) -> Iterator[FileRecord]:
    """As many of them as there is room for, by a hash of their names: a fault in every second or third would be missed by even steps."""
    return _some(sorted(records, key=lambda record: crc32(os.fsencode(record.path))))

"""A second look at some masks, once all were read: whether their rows are scrambled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from labelguard.errors import LabelguardError
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord
from labelguard.facts.row_order import LEAST_SIDE, RowOrder, Scrambled, row_order
from labelguard.files.memory import DEFAULT_BYTES, MemoryBudget
from labelguard.files.read import read

_PIXELS = 1 << 22  # that are read again where nothing is found: a part of a second
_RESTLESS = 0.02   # share of short runs from which on a mask is looked at before others; of exact masks few have more


def scrambled_files(data: DatasetFacts, path_of: Callable[[str], str], max_memory: int = DEFAULT_BYTES) -> dict[str, RowOrder]:
    """Which masks have scrambled rows.

    Some are read again: first those in which labels change most, then some of all the others. If one of them is scrambled, all are.

    Parameters
    ----------
    data
        The facts of the set.
    path_of
        Where a mask lies, by its name.
    max_memory
        Bytes that may be taken for one of them.
    """
    able = [record for record in data.select() if len(record.ids) > 1 and min(record.shape) >= LEAST_SIDE
            and record.shape[0] != record.shape[1]]
    found: dict[str, RowOrder] = {}

    def look(records: Iterable[FileRecord]) -> None:
        for record in records:
            if record.path not in found:
                found[record.path] = _order_of(path_of(record.path), max_memory)
    look(_some(sorted((record for record in able if _restless(record) > _RESTLESS), key=_restless, reverse=True)))
    look(_some(_spread(able)))
    ways = {order.along_rows for order in found.values() if order.scrambled is Scrambled.SURELY}
    if ways:
        look(able)
    return {path: order for path, order in found.items()
            if order.scrambled is Scrambled.SURELY or (order.scrambled and order.along_rows in ways)}


def _order_of(path: str, max_memory: int) -> RowOrder:
    try:
        return row_order(MemoryBudget(max_memory).run(read, path).labels)
    except LabelguardError:
        return RowOrder(Scrambled.NO, True)  # it changed since it was read


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


def _spread(records: list[FileRecord]) -> list[FileRecord]:
    """As many of them as there is room for, evenly spread."""
    pixels = sum(record.shape[0] * record.shape[1] for record in records)
    return records[::max(1, -(-pixels // _PIXELS))]

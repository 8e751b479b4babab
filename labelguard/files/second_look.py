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
_RESTLESS = 3      # times as many pixels in short runs as is usual in the set, from which on a mask is looked at before others


def scrambled_files(data: DatasetFacts, path_of: Callable[[str], str], max_memory: int = DEFAULT_BYTES) -> dict[str, RowOrder]:
    """Which masks have scrambled rows.

    Some are read again: first those in which labels change much more often than in the others, then some of all. If rows are scrambled in
    one of them, all masks are.

    Parameters
    ----------
    data
        The facts of the set.
    path_of
        Where a mask lies, by its name.
    max_memory
        Bytes that may be taken for one of them.
    """
    shapes = {shape for shape, _ in data.kinds() if min(shape) >= LEAST_SIDE and shape[0] != shape[1]}
    able = [record for record in data.select() if record.shape in shapes and len(record.ids) > 1]
    if not able:
        return {}
    found: dict[str, RowOrder] = {}

    def look(records: Iterable[FileRecord]) -> None:
        for record in records:
            if record.path not in found:
                found[record.path] = _order_of(path_of(record.path), max_memory)
    restless = [_restless(record) for record in able]
    usual = sorted(restless)[len(restless) // 2]
    look(_some(able[place] for place in sorted(range(len(able)), key=lambda place: -restless[place])
               if restless[place] > _RESTLESS * usual))
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

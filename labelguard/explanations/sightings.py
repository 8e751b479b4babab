"""Sightings: which ids stand in which files of a set, and how large they are there, counted once for all explanations."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations.groups import FileGroup, Grouping, groupings
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord, Ids

_AREA_EDGES = (0.01, 0.1, 0.4)   # of the image
_FRAME_EDGES = (1e-9, 0.1, 0.5)  # of the pixels along the frame: some, many, most
NUM_AREAS, NUM_FRAMES = len(_AREA_EDGES) + 1, len(_FRAME_EDGES) + 1
NUM_SIZES = NUM_AREAS * NUM_FRAMES
_DENSE = 1 << 16
FEW_IDS = 3  # of a set: so few that one file may be inside out, and files are told apart by which id has most of the frame


class Sizes(NamedTuple):
    """How large ids are, as orders of their share of the image and of the frame; files of one row that agree are counted together.

    Parameters
    ----------
    rows
        (M,) the row.
    keys
        (M,) the column of the id, its order of area and its order of frame, as one number.
    files
        (M,) the number of files of that row in which it has these orders.
    """

    rows: NDArray[np.int64]
    keys: NDArray[np.int64]
    files: NDArray[np.int64]

    def counted(self, among: NDArray[np.bool_], ids: int) -> NDArray[np.int64]:
        """(I, NUM_AREAS, NUM_FRAMES) how many files of some rows have each id in each size."""
        inside = np.flatnonzero(among[self.rows])
        return np.bincount(self.keys[inside], self.files[inside], ids * NUM_SIZES).astype(np.int64).reshape(ids, NUM_AREAS, NUM_FRAMES)


@dataclass(frozen=True, eq=False)
class Sightings:
    """Which ids stand in which files. Files of the same groups with the same ids are one row, so that work grows with what differs.

    Parameters
    ----------
    ids
        (I,) every id of the set, ascending.
    files
        (R,) the number of files of each row.
    row_of_path
        The row of each exact file.
    groupings
        What some files have in common, for each row.
    edge
        (R,) the column of the id that most of the frame belongs to, where files are told apart by that; else -1.
    rows, columns
        (N,) row and column, the place in `ids`, of every id of every row.
    sets
        The ids of each row.
    pixels, frame_pixels
        (N,) pixels of every id of every row, and how many of them lie along the frame, summed over its files.
    sizes
        In how many files of its row an id has a share of the image, and of the frame, of each order.
    core
        For ids that may be a void label or a wrapped one, the share of their pixels away from edges, where they are large enough to tell.
    numbered
        (R, 4) of the ids that run from 1 without a gap in the files of a row, summed over these: how many follow another one, how many
        of them begin after it, how many ids there are, and how many of them are compact; see `NumberedIds`.
    merged
        Whether ids of one file may have become one, which has several sizes there then.
    """

    ids: Ids
    files: NDArray[np.int64]
    row_of_path: Mapping[str, int]
    groupings: tuple[Grouping, ...]
    edge: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    sets: tuple[Ids, ...]
    pixels: NDArray[np.int64]
    frame_pixels: NDArray[np.int64]
    sizes: Sizes
    core: Mapping[int, float]
    numbered: NDArray[np.int64]
    merged: bool = False

    @classmethod
    def of(cls, data: DatasetFacts) -> Sightings:
        """Count what stands in the exact files of a set."""
        records = [*data.select()]
        ids = tuple(sorted(data.files_with))
        lengths = np.array([len(record.ids) for record in records])
        file, begin = np.repeat(np.arange(len(records)), lengths), np.cumsum(lengths) - lengths
        column = _places(np.fromiter(chain.from_iterable(record.ids for record in records), np.int64, len(file)), ids)
        pixels = _joined(record.num_pixels for record in records)
        frames = _joined(record.frame_pixels or array("q", bytes(8 * len(record.ids))) for record in records)
        edge = _edges(file, column, frames, len(records)) if len(ids) <= FEW_IDS else np.full(len(records), -1)

        sets: dict[Ids, int] = {}
        found = groupings(records)
        same = np.fromiter((sets.setdefault(record.ids, len(sets)) for record in records), np.int64, len(records))
        first, row_of = _distinct([same, edge + 1, *(grouping.places for grouping in found)])
        files = np.bincount(row_of, minlength=len(first))
        rows, columns, entry = file, column, np.arange(len(file))  # of the id of a file among those of its row
        if len(first) < len(records):
            starts = np.cumsum(lengths[first]) - lengths[first]
            rows = np.repeat(np.arange(len(first)), lengths[first])
            columns = column[np.arange(len(rows)) + (begin[first] - starts)[rows]]
            entry = starts[row_of[file]] + entry - begin[file]

        shapes = np.array([record.shape for record in records], np.int64)
        area, frame = pixels / shapes.prod(1)[file], frames / (2 * shapes.sum(1))[file]
        size = sum((area >= edge) * NUM_FRAMES for edge in _AREA_EDGES) + sum((frame >= edge).astype(np.int64) for edge in _FRAME_EDGES)
        alike = np.ones(len(file), np.int64)
        if len(first) < len(records):
            pixels, frames = _summed(entry, pixels, len(rows)), _summed(entry, frames, len(rows))
            joined, alike = np.unique(entry * NUM_SIZES + size, return_counts=True)
            entry, size = np.divmod(joined, NUM_SIZES)
        sizes = Sizes(rows[entry], columns[entry] * NUM_SIZES + size, alike)
        lying = ((0, 0, 0, 0) if each is None else (each.number - 1, each.rises, each.number, each.compact)
                 for each in (record.objects for record in records))
        numbers = np.fromiter(chain.from_iterable(lying), np.int64, 4 * len(records)).reshape(-1, 4)
        numbered = np.stack([np.bincount(row_of, column, len(first)) for column in numbers.T], 1).astype(np.int64)
        groups = tuple(replace(grouping, places=grouping.places[first]) for grouping in found)
        core = {label: stats.core for label, stats in data.erosion.items() if label in data.files_with and stats.core is not None}
        paths = dict(zip((record.path for record in records), row_of.tolist(), strict=True))
        return cls(ids, files, paths, groups, edge[first], rows, columns, tuple(records[at].ids for at in first.tolist()),
                   pixels, frames, sizes, core, numbered)

    def moved(self, tables: Sequence[tuple[NDArray[np.bool_], Mapping[int, int]]]) -> Sightings:
        """The sightings after the ids of some rows were moved by a table, of others by another one; ids that no table names stay."""
        which, targets = np.zeros(len(self.files), np.int64), np.tile(self.ids, (len(tables) + 1, 1))
        for place, (chosen, table) in enumerate(tables, 1):
            which[chosen], targets[place] = place, [table.get(label, label) for label in self.ids]
        held = np.zeros(targets.shape, bool)
        held[which[self.rows], self.columns] = True
        ids = np.unique(targets[held])
        places = np.searchsorted(ids, targets)
        keys, pixels, frames = self.rows * len(ids) + places[which[self.rows], self.columns], self.pixels, self.frame_pixels
        if (np.diff(keys) <= 0).any():  # some became one, or changed their order
            keys, at = np.unique(keys, return_inverse=True)
            pixels, frames = _summed(at, pixels, len(keys)), _summed(at, frames, len(keys))
        rows, columns = np.divmod(keys, len(ids))
        labels, ends = ids[columns].tolist(), np.bincount(rows, minlength=len(self.files)).cumsum().tolist()
        column, size = np.divmod(self.sizes.keys, NUM_SIZES)
        sizes = self.sizes._replace(keys=places[which[self.sizes.rows], column] * NUM_SIZES + size)
        edge = self.edge if (self.edge < 0).all() else _edges(rows, columns, frames, len(self.files))
        return replace(self, ids=tuple(ids.tolist()), rows=rows, columns=columns, edge=edge, pixels=pixels, frame_pixels=frames,
                       sets=tuple(tuple(labels[begin:end]) for begin, end in pairwise((0, *ends))), sizes=sizes,
                       numbered=np.zeros_like(self.numbered), core={}, merged=len(keys) < len(self.rows))

    def row_of(self, record: FileRecord) -> int:
        """The row that a file belongs to."""
        return self.row_of_path[record.path]

    @cached_property
    def num_files(self) -> int:
        """All files."""
        return int(self.files.sum())

    @cached_property
    def most_together(self) -> int:
        """How many ids a file holds at most."""
        return int(self.num_ids.max())

    @cached_property
    def num_ids(self) -> NDArray[np.int64]:
        """(R,) how many ids a file of each row holds."""
        return np.bincount(self.rows, minlength=len(self.files))

    @cached_property
    def usual_sizes(self) -> NDArray[np.float64]:
        """(NUM_AREAS + NUM_FRAMES,) the proportions of the orders over all ids of all files; together half as much as there are orders."""
        looks = np.bincount(self.sizes.keys % NUM_SIZES, self.sizes.files, NUM_SIZES).reshape(NUM_AREAS, NUM_FRAMES)
        several = (looks.sum(1), looks.sum(0))
        return np.concatenate([(orders + 0.5) / (orders.sum() + len(orders) / 2) * (len(orders) / 2) for orders in several])

    @cached_property
    def groups(self) -> tuple[FileGroup, ...]:
        """The files that have something in common, as choices of rows."""
        return tuple(group for grouping in self.groupings for group in grouping.groups)

    @cached_property
    def named(self) -> Mapping[bytes, FileGroup]:
        """The groups by the rows that they choose."""
        return {group.chosen.tobytes(): group for group in reversed(self.groups)}

    def holding(self, labels: Collection[int]) -> NDArray[np.bool_]:
        """(R,) the rows that hold any of some ids."""
        columns = [place for label in labels if (place := self.places.get(label)) is not None]
        if len(columns) == 1:
            found: NDArray[np.bool_] = self._held[columns[0]]
        elif 2 * len(columns) <= len(self.ids):
            found = np.logical_or.reduce(self._held[columns], axis=0)
        else:  # the others are fewer: a row that holds more ids than these holds one
            found = self.num_ids > self._held[[*{*range(len(self.ids))}.difference(columns)]].sum(0)
        return found

    def num_files_in(self, rows: NDArray[np.bool_]) -> int:
        """The number of files of some rows."""
        return int(np.count_nonzero(rows) if self._is_each_one_file else self.files[rows].sum())

    @cached_property
    def _is_each_one_file(self) -> bool:
        return bool((self.files == 1).all())

    @cached_property
    def places(self) -> Mapping[int, int]:
        """The column of each id."""
        return {label: place for place, label in enumerate(self.ids)}

    @cached_property
    def _held(self) -> NDArray[np.bool_]:
        """(I, R) which id stands in which row."""
        found = np.zeros((len(self.ids), len(self.files)), bool)
        found[self.columns, self.rows] = True
        return found


def _joined(several: Iterable[array[int]]) -> NDArray[np.int64]:
    return np.frombuffer(b"".join(several), np.int64)


def _places(labels: NDArray[np.int64], ids: Ids) -> NDArray[np.int64]:
    """The place of each label among some ids, ascending."""
    if not 0 <= ids[0] <= ids[-1] < _DENSE:
        return np.searchsorted(ids, labels)
    places = np.zeros(ids[-1] + 1, np.int64)
    places[[*ids]] = np.arange(len(ids))
    return places[labels]


def _summed(at: NDArray[np.int64], numbers: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.bincount(at, numbers, size).astype(np.int64)


def _edges(at: NDArray[np.int64], column: NDArray[np.int64], frames: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """(number,) the column of the id with most pixels along the frame."""
    found = np.zeros(number, np.int64)
    order = np.argsort(frames, kind="stable")
    found[at[order]] = column[order]  # the last one stays
    return found


def _distinct(keys: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each kind of files, in their order, and the kind of each; files of one kind agree in all keys."""
    def joined(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        kinds: NDArray[np.int64] = np.unique(left * (int(right.max()) + 1) + right, return_inverse=True)[1]
        return kinds
    _, first, kind = np.unique(reduce(joined, keys), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[kind]

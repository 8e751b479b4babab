"""Sightings: which ids stand in which files of a set, counted once for all explanations; Part: some of these files."""

from __future__ import annotations

import posixpath
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord, Ids

_MOST_FOLDERS = 64  # more than that are one folder for each scene or patient, and tell nothing
_MOST_KINDS = 8     # of files, by the ids that they hold, that are judged one by one


@dataclass(frozen=True, eq=False)
class Sightings:
    """Which ids stand in which files. Files of one folder with the same ids are one row, so that work grows with the different sets of ids.

    Parameters
    ----------
    ids
        (I,) every id of the set, ascending.
    files
        (R,) the number of files of each row.
    folders, folder
        The sub-folders, and (R,) the place of each row's among them; none where there is only one, or too many.
    rows, columns
        (N,) row and column, the place in `ids`, of every id of every row.
    sets
        The ids of each row.
    pixels, frame_pixels
        (N,) pixels of every id of every row, and how many of them lie along the frame, summed over its files.
    core
        For ids that may be a void label or a wrapped one, the share of their pixels away from edges.
    """

    ids: Ids
    files: NDArray[np.int64]
    folders: tuple[str, ...]
    folder: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    sets: tuple[Ids, ...]
    pixels: NDArray[np.int64]
    frame_pixels: NDArray[np.int64]
    core: Mapping[int, float]

    @classmethod
    def of(cls, data: DatasetFacts) -> Sightings:
        """Count what stands in the exact files of a set."""
        names = {posixpath.dirname(record.path) for record in data.select()}
        folders = tuple(sorted(names)) if 1 < len(names) <= _MOST_FOLDERS else ()
        every: dict[tuple[str, Ids], list[FileRecord]] = {}
        for record in data.select():
            every.setdefault((posixpath.dirname(record.path) if folders else "", record.ids), []).append(record)
        ids = tuple(sorted(data.files_with))
        place = {label: at for at, label in enumerate(ids)}
        names_at = {name: at for at, name in enumerate(folders)}
        rows = [row for row, (_, there) in enumerate(every) for _ in there]
        columns = [place[label] for _, there in every for label in there]
        pixels = _summed([record.num_pixels for record in records] for records in every.values())
        frames = _summed([record.frame_pixels for record in records] for records in every.values())
        core = {label: stats.eroded_pixels / stats.num_pixels for label, stats in data.erosion.items() if label in place}
        return cls(ids, np.array([len(records) for records in every.values()]), folders,
                   np.array([names_at.get(name, 0) for name, _ in every]), np.array(rows), np.array(columns),
                   tuple(there for _, there in every), pixels, frames, core)

    def row_of(self, record: FileRecord) -> int:
        """The row that a file belongs to."""
        return self._places[posixpath.dirname(record.path) if self.folders else "", record.ids]

    @cached_property
    def _places(self) -> dict[tuple[str, Ids], int]:
        folders = self.folders or ("",)
        return {(folders[folder], ids): row for row, (folder, ids) in enumerate(zip(self.folder.tolist(), self.sets, strict=True))}

    def moved(self, tables: Sequence[tuple[NDArray[np.bool_], Mapping[int, int]]]) -> Sightings:
        """The sightings after the ids of some rows were moved by a table, of others by another one; ids that no table names stay."""
        now = np.array(self.ids)[self.columns]
        for chosen, table in tables:
            targets = np.array([table.get(label, label) for label in self.ids])
            there = chosen[self.rows]
            now[there] = targets[self.columns[there]]
        ids, columns = np.unique(now, return_inverse=True)
        keys, at = np.unique(self.rows * len(ids) + columns, return_inverse=True)
        rows, columns = np.divmod(keys, len(ids))
        sets = np.split(ids[columns], np.searchsorted(rows, np.arange(1, len(self.files))))
        pixels, frame_pixels = (np.bincount(at, weights).astype(np.int64) for weights in (self.pixels, self.frame_pixels))
        return replace(self, ids=tuple(ids.tolist()), rows=rows, columns=columns, sets=tuple(tuple(each.tolist()) for each in sets),
                       pixels=pixels, frame_pixels=frame_pixels, core={})

    @property
    def num_files(self) -> int:
        """All files."""
        return int(self.files.sum())

    def holding(self, labels: Collection[int]) -> NDArray[np.bool_]:
        """(R,) the rows that hold any of some ids."""
        wanted = np.isin(np.array(self.ids, np.float64), np.array([*labels], np.float64))
        found = np.zeros(len(self.files), bool)
        found[self.rows[wanted[self.columns]]] = True
        return found


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the files of a set, which share one fate.

    Parameters
    ----------
    seen
        The set.
    chosen
        (R,) which of its rows.
    folder
        The sub-folder that they are; None where they are not one.
    """

    seen: Sightings
    chosen: NDArray[np.bool_]
    folder: str | None = None

    @classmethod
    def of(cls, seen: Sightings, chosen: NDArray[np.bool_]) -> Part:
        """These rows, with the name of the sub-folder where they are just that."""
        place = int(seen.folder[chosen.argmax()])
        return cls(seen, chosen, seen.folders[place] if seen.folders and bool((chosen == (seen.folder == place)).all()) else None)

    @property
    def words(self) -> str:
        """What its files have in common, as in "all of b/"; nothing where no name fits them."""
        return "" if self.folder is None else f"all of {self.folder or '.'}/"

    @cached_property
    def num_files(self) -> int:
        """The number of files."""
        return int(self.seen.files[self.chosen].sum())

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(I,) the number of its files that hold each id of the set."""
        there = self.chosen[self.seen.rows]
        weights = self.seen.files[self.seen.rows[there]]
        return np.bincount(self.seen.columns[there], weights, len(self.seen.ids)).astype(np.int64)

    def holding(self, label: int) -> Part:
        """Those of its files that hold an id."""
        return Part.of(self.seen, self.chosen & self.seen.holding((label,)))

    @cached_property
    def alike(self) -> tuple[Part, ...]:
        """Its files, those together that hold the same ids besides 0; all of them where that makes too many kinds."""
        kinds: dict[Ids, list[int]] = {}
        for row in np.flatnonzero(self.chosen).tolist():
            kinds.setdefault(tuple(label for label in self.seen.sets[row] if label), []).append(row)
        if not 1 < len(kinds) <= _MOST_KINDS:
            return (self,)
        return tuple(Part(self.seen, np.isin(np.arange(len(self.chosen)), rows)) for rows in kinds.values())

    def _summed(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        there = self.chosen[self.seen.rows]
        sums = np.bincount(self.seen.columns[there], weights[there], len(self.seen.ids))
        return np.divide(sums, max(1.0, float(sums.sum())))

    @cached_property
    def area_shares(self) -> NDArray[np.float64]:
        """(I,) the share of all pixels that each id of the set has."""
        return self._summed(self.seen.pixels)

    @cached_property
    def frame_shares(self) -> NDArray[np.float64]:
        """(I,) the share of the pixels along the frame that each id of the set has."""
        return self._summed(self.seen.frame_pixels)

    @property
    def sets(self) -> Iterator[tuple[Ids, int]]:
        """The different sets of ids, with the number of files of each."""
        return ((ids, int(files)) for ids, files, chosen in zip(self.seen.sets, self.seen.files, self.chosen, strict=True) if chosen)

    @cached_property
    def ids(self) -> Ids:
        """The ids that its files hold, ascending."""
        return tuple(label for label, number in zip(self.seen.ids, self.counts.tolist(), strict=True) if number)

    def holding_any(self, labels: Collection[int]) -> int:
        """How many of its files hold any of some ids."""
        return int(self.seen.files[self.chosen & self.seen.holding(labels)].sum())

    def sharing_a_file(self, labels: Collection[int]) -> bool:
        """Whether two of some ids stand in the same file."""
        there = [int(self.counts[self.seen.ids.index(label)]) for label in labels if label in self.ids]
        return sum(there) > self.holding_any(labels)

    @cached_property
    def bits(self) -> float:
        """The bits that it takes to say which files these are: the sub-folder, or so many of all; none for the whole set."""
        number, total = self.num_files, self.seen.num_files
        if number == total:
            return 0.0
        if self.folder is not None:
            return log2(len(self.seen.folders)) + 1
        return log2(total + 1) + (lgamma(total + 1) - lgamma(number + 1) - lgamma(total - number + 1)) / log(2)


def _summed(several: Iterable[Sequence[array[int]]]) -> NDArray[np.int64]:
    """One after the other, the sums of some lists of as many numbers each."""
    return np.frombuffer(b"".join(each[0] if len(each) == 1 else np.array(each).sum(0).tobytes() for each in several), np.int64)

"""Groups: files that have something in common besides their ids, and so perhaps their history; found, not configured."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.record import FileRecord

GroupKind = Literal["folder", "split", "prefix", "suffix", "size", "storage"]

_MOST_GROUPS = 64  # of one kind; more than that are one for each scene or patient, and tell nothing
_STEM = re.compile(r"(\D*)(?:.*\d)?(\D*)", re.DOTALL)  # what stands before the first digit of a name, and after the last


@dataclass(frozen=True, eq=False)
class FileGroup:
    """Some files of a set that have something in common.

    Parameters
    ----------
    kind, name
        What they have in common: a sub-folder, the first folder of their path, how their names begin or end, a size, a form of storage.
    chosen
        Which of the files, or of the rows that stand for files with the same ids and groups.
    """

    kind: GroupKind
    name: str
    chosen: NDArray[np.bool_]

    @property
    def words(self) -> str:
        """What to call these files; empty where what they have in common is that they lack something, as a folder or a suffix."""
        return _WORDS[self.kind].format(self.name) if self.name else ""


@dataclass(frozen=True, eq=False)
class Grouping:
    """One way to tell files apart: the name of each group, and for each file, or each row, the place of its own."""

    kind: GroupKind
    names: tuple[str, ...]
    places: NDArray[np.int64]

    @property
    def groups(self) -> Iterator[FileGroup]:
        """All of its groups."""
        return (FileGroup(self.kind, name, self.places == at) for at, name in enumerate(self.names))


def groupings(records: Sequence[FileRecord]) -> list[Grouping]:
    """All ways to tell some files apart, each partition once; none that makes one group of them, or too many."""
    found: list[Grouping] = []
    stems = [_stem(record) for record in records]
    for kind, key_of in _KEYS.items():
        seen: dict[str | tuple[int, int], int] = {}
        keys = map(key_of, records, stems)
        places = np.fromiter((seen.setdefault(key, len(seen)) for key in keys), np.int64, len(records))
        if 1 < len(seen) <= _MOST_GROUPS and not any(np.array_equal(places, other.places) for other in found):
            found.append(Grouping(kind, tuple(key if isinstance(key, str) else f"{key[0]} x {key[1]}" for key in seen), places))
    return found


def _stem(record: FileRecord) -> re.Match[str]:
    found = _STEM.fullmatch(posixpath.splitext(record.path.rpartition("/")[2])[0])
    assert found is not None, "the pattern matches every text"
    return found


_KEYS: dict[GroupKind, Callable[[FileRecord, re.Match[str]], str | tuple[int, int]]] = {
    "folder": lambda record, _: record.path.rpartition("/")[0],
    "split": lambda record, _: record.path.partition("/")[0] if "/" in record.path else "",
    "prefix": lambda _, stem: stem[1],
    "suffix": lambda _, stem: stem[2],
    "size": lambda record, _: record.shape,
    "storage": lambda record, _: record.encoding,
}

_WORDS: dict[GroupKind, str] = {"folder": "{}/", "split": "{}/", "prefix": "{}*", "suffix": "*{}", "size": "all of {}",
                                "storage": "all stored as {}"}

"""Columns: in how many files each class, void label and unknown id stands once the ids of some parts are decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations.entropy import entropy
from labelguard.explanations.explanation import UNKNOWN, VOID, Column, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.sightings import NUM_AREAS, NUM_FRAMES
from labelguard.facts.record import Ids


class Decoded(NamedTuple):
    """What the files of a part hold once their ids are decoded.

    Parameters
    ----------
    classes, voids, unknown
        The number of these files that hold each class, or any of several that have one id, each void label, and each id that is not
        explained.
    """

    classes: dict[Column, int]
    voids: list[int]
    unknown: dict[int, int]


class _Fate(NamedTuple):
    part: Part
    explanation: Explanation


class Told(_Fate):
    """Some files, and what is said to have happened to their ids."""

    @cached_property
    def decoded(self) -> Decoded:
        """What they hold; it is asked again for everything that may have happened to the others."""
        part, explanation = self
        found, sources = Decoded({}, [], {}), dict[Column, list[int]]()
        for label, number in part.num_files_of.items():
            there = explanation.table.get(label, UNKNOWN)
            if there == VOID:
                found.voids.append(number)
            elif there == UNKNOWN:
                found.unknown[label] = number
            else:
                sources.setdefault(explanation.columns.get(there, there), []).append(label)
        for column, labels in sources.items():
            found.classes[column] = part.num_files_of[labels[0]] if len(labels) == 1 else part.holding_any(labels)
        return found

    @cached_property
    def blank(self) -> int:
        """The number of these files in which nothing but void is labeled; those of 0 show their background."""
        table = self.explanation.table
        return self.part.num_files - self.part.holding_any([label for label in self.part.ids if not label or table.get(label) != VOID])

    @cached_property
    def targets(self) -> NDArray[np.int64]:
        """(I,) what each id of the set is: a class, void, or unknown."""
        return np.array([self.explanation.table.get(label, UNKNOWN) for label in self.part.seen.ids])

    @cached_property
    def sizes(self) -> tuple[Sequence[object], NDArray[np.int64]]:
        """The columns, and in how many files what each stands for has a size of each order, (C, NUM_AREAS + NUM_FRAMES)."""
        places: dict[object, int] = {}
        at = [places.setdefault(column, len(places)) for column in columns_of(self.part.ids, self.explanation)]
        looks = self.part.looks[self.part.counts > 0]
        if len(places) == len(at):
            return [*places], looks
        found = np.zeros((len(places), looks.shape[1]), np.int64)
        np.add.at(found, at, looks)
        return [*places], found

    @cached_property
    def counted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(C,) the classes that have an id of their own, (C, 1 + NUM_AREAS + NUM_FRAMES) how many files hold each, and in how many it has a
        size of each order."""
        part, shared = self.part, np.array([*self.explanation.columns], np.int64)
        there = np.flatnonzero((part.counts > 0) & (self.targets >= 0) & ~np.isin(self.targets, shared))
        classes, at = np.unique(self.targets[there], return_inverse=True)
        found = np.zeros((len(classes), 1 + NUM_AREAS + NUM_FRAMES), np.int64)
        np.add.at(found, at, np.concatenate([part.counts[there, None], part.looks[there]], 1))
        if len(classes) < len(there):
            found[:, 0] = [self.decoded.classes[label] for label in classes.tolist()]
        return classes, found

    @cached_property
    def least_of_strays(self) -> float:
        """The bits that void labels and unknown ids take at least, of which each part has its own."""
        ids = (self.targets < 0) & (self.part.counts > 0)
        return entropy(np.concatenate([self.part.counts[ids, None], self.part.looks[ids]], 1), self.part.num_files)


@dataclass
class Columns:
    """What the files of some parts hold once their ids are decoded; a class is the same in all of them.

    Parameters
    ----------
    told
        The parts.
    num_files
        The number of files in which ids mean the same; those with a numbering of their own do not count.
    classes, voids, unknown
        The number of these files that hold each class, or any of those that have one id, the first void label, the second, and so on, and
        each id that is not explained.
    blanks
        In how many of how many files of each part nothing but void is labeled.
    strays
        The same of the void labels and unknown ids for each part: how many of how many files.
    """

    told: Sequence[Told]
    num_files: int = 0
    classes: dict[Column, int] = field(default_factory=dict)
    voids: dict[int, int] = field(default_factory=dict)
    unknown: dict[int, int] = field(default_factory=dict)
    blanks: list[tuple[int, int]] = field(default_factory=list)
    strays: dict[object, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, told: Sequence[Told]) -> Columns:
        """Decode and count."""
        found = cls(told)
        for each in told:
            if each.explanation.by_columns:
                found._add(each)
        return found

    @property
    def blank(self) -> int:
        """The number of these files in which nothing but void is labeled."""
        return sum(blank for blank, _ in self.blanks)

    @cached_property
    def among(self) -> Mapping[Column, int]:
        """The number of these files that can show a class, where that is not all of them, or only that it is one of several."""
        found = dict[Column, int]()
        for part, explanation in self.told:
            for several in explanation.together if explanation.by_columns else ():
                found[several] = found.get(several, 0) + part.num_files
                found |= {label: found.get(label, self.num_files) - part.num_files for label in several}
        return found

    def stray(self, column: object) -> list[tuple[int, int]]:
        """In how many of how many files of each part a void label or an unknown id stands."""
        there = self.strays.get(column, [])
        return [*there, (0, rest)] if (rest := self.num_files - sum(files for _, files in there)) else there

    def _add(self, told: Told) -> None:
        found, files = told.decoded, told.part.num_files
        for there, number in found.classes.items():
            self.classes[there] = self.classes.get(there, 0) + number
        for place, number in enumerate(found.voids):  # of one part and of another, whatever it is stored as
            self.voids[place] = self.voids.get(place, 0) + number
            self.strays.setdefault((VOID, place), []).append((number, files))
        for label, number in found.unknown.items():
            self.unknown[label] = self.unknown.get(label, 0) + number
            self.strays.setdefault((UNKNOWN, label), []).append((number, files))
        self.num_files += files
        self.blanks.append((told.blank, files))

    @cached_property
    def are_apart(self) -> bool:
        """Whether no file holds two classes besides the one that most files hold."""
        most = max(self.classes, key=lambda label: self.classes[label])
        together = sum(part.holding_any([label for label, there in explanation.table.items()
                                         if explanation.columns.get(there, there) not in (VOID, most)])
                       for part, explanation in self.told if explanation.own_bits is None)
        return together == sum(self.classes.values()) - self.classes[most]

    @cached_property
    def sizes(self) -> tuple[dict[object, int], NDArray[np.int64]]:
        """The place of each column, and in how many files what it stands for has a size of each order, (C, NUM_AREAS + NUM_FRAMES); files
        with a numbering of their own share a column."""
        places: dict[object, int] = {}
        at = [[places.setdefault(column, len(places)) for column in told.sizes[0]] for told in self.told]
        found = np.zeros((len(places), NUM_AREAS + NUM_FRAMES), np.int64)
        for told, rows in zip(self.told, at, strict=True):
            found[rows] += told.sizes[1]
        return places, found


def columns_of(ids: Ids, explanation: Explanation) -> Iterator[object]:
    """What each id stands for: a class, the first void label, the second, something unknown, or a number of its file."""
    voids = count()
    for label in ids:
        there = explanation.table.get(label, UNKNOWN)
        if there == VOID:
            yield VOID, next(voids)
        elif there == UNKNOWN:
            yield explanation.cause if explanation.alike else (UNKNOWN if explanation.own_bits is None else explanation.cause, label)
        else:
            yield "any class" if explanation.alike and there else there

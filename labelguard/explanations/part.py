"""Part: some of the files of a set, which share one fate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations.groups import FileGroup
from labelguard.explanations.sightings import NUM_AREAS, Sightings
from labelguard.facts.record import Ids

_MOST_KINDS = 8  # of files, by the ids that they hold, that are judged one by one


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the files of a set, which share one fate.

    Parameters
    ----------
    seen
        The set.
    chosen
        (R,) which of its rows.
    rest_of
        A part and another one within it, where these files are what is left of it.
    """

    seen: Sightings
    chosen: NDArray[np.bool_]
    rest_of: tuple[Part, Part] | None = None

    @cached_property
    def group(self) -> FileGroup | None:
        """What its files have in common and no other file has; None where that is nothing."""
        return self.seen.named.get(self.chosen.tobytes())

    @property
    def folder(self) -> str | None:
        """The sub-folder that its files are; None where they are not one."""
        return self.group.name if self.group is not None and self.group.kind in ("folder", "split") else None

    @cached_property
    def num_files(self) -> int:
        """The number of files."""
        return int(self.seen.files[self.chosen].sum())

    def without(self, other: Part) -> Part:
        """Its files but those of another part, which is one of it; what was counted of the two is not counted again."""
        return Part(self.seen, self.chosen & ~other.chosen, (self, other))

    @cached_property
    def _held(self) -> NDArray[np.int64]:
        """The places of all ids of its rows."""
        return np.flatnonzero(self.chosen[self.seen.rows])

    def _by_id(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(self.seen.columns[self._held], weights[self._held], len(self.seen.ids)).astype(np.int64)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(I,) the number of its files that hold each id of the set."""
        if self.rest_of is not None:
            return self.rest_of[0].counts - self.rest_of[1].counts
        return self._by_id(self.seen.files[self.seen.rows]) if self.seen.merged else self.looks[:, :NUM_AREAS].sum(1)

    @cached_property
    def _pixels(self) -> NDArray[np.int64]:
        if self.rest_of is not None:
            return self.rest_of[0]._pixels - self.rest_of[1]._pixels
        return self._by_id(self.seen.pixels)

    @cached_property
    def _frame_pixels(self) -> NDArray[np.int64]:
        if self.rest_of is not None:
            return self.rest_of[0]._frame_pixels - self.rest_of[1]._frame_pixels
        return self._by_id(self.seen.frame_pixels)

    @cached_property
    def num_files_of(self) -> Mapping[int, int]:
        """The number of its files that hold each of its ids, ascending."""
        return {label: number for label, number in zip(self.seen.ids, self.counts.tolist(), strict=True) if number}

    @cached_property
    def ids(self) -> Ids:
        """The ids that its files hold, ascending."""
        return tuple(self.num_files_of)

    @cached_property
    def looks(self) -> NDArray[np.int64]:
        """(I, NUM_AREAS + NUM_FRAMES) in how many of its files each id of the set has a size of each order."""
        if self.rest_of is not None:
            return self.rest_of[0].looks - self.rest_of[1].looks
        sizes = self.seen.sizes.counted(self.chosen, len(self.seen.ids))
        return np.concatenate([sizes.sum(2), sizes.sum(1)], 1)

    @cached_property
    def area_shares(self) -> NDArray[np.float64]:
        """(I,) the share of all pixels that each id of the set has."""
        return _shares(self._pixels)

    @cached_property
    def frame_shares(self) -> NDArray[np.float64]:
        """(I,) the share of the pixels along the frame that each id of the set has."""
        return _shares(self._frame_pixels)

    @cached_property
    def numbered(self) -> NDArray[np.int64]:
        """(4,) how the ids lie that run from 1 without a gap, as `Sightings.numbered`, summed over its files."""
        found: NDArray[np.int64] = self.seen.numbered[self.chosen].sum(0)
        return found

    @property
    def sets(self) -> Iterator[tuple[Ids, int]]:
        """The different sets of ids, with the number of files of each."""
        return ((ids, int(files)) for ids, files, chosen in zip(self.seen.sets, self.seen.files, self.chosen, strict=True) if chosen)

    def holding(self, label: int) -> Part:
        """Those of its files that hold an id."""
        return Part(self.seen, self.chosen & self.seen.holding((label,)))

    def holding_any(self, labels: Collection[int]) -> int:
        """How many of its files hold any of some ids."""
        wanted = frozenset(labels)
        if wanted not in self._holding:
            there = [self.num_files_of.get(label, 0) for label in wanted]
            most = max(there, default=0)
            told = most in (self.num_files, sum(there))  # all of them hold one, or there is but one
            self._holding[wanted] = most if told else int(self.seen.files[self.chosen & self.seen.holding(wanted)].sum())
        return self._holding[wanted]

    @cached_property
    def _holding(self) -> dict[frozenset[int], int]:
        """What was asked before: most explanations put the same ids together."""
        return {}

    def sharing_a_file(self, labels: Collection[int]) -> bool:
        """Whether two of some ids stand in the same file."""
        there = [self.num_files_of.get(label, 0) for label in labels]
        return sum(there) > self.holding_any(labels)

    def following(self, before: Mapping[int, int]) -> Mapping[int, int]:
        """For some ids the number of its files that hold them and, for each, another id that is given for it."""
        return {label: self.seen.num_files_in(self.chosen & self.seen.holding((label,)) & self.seen.holding((other,)))
                for label, other in before.items()}

    @cached_property
    def alike(self) -> tuple[Part, ...]:
        """Its files, those together that hold the same ids besides 0; all of them where that makes too many kinds."""
        return self._kinds(by_edge=False)

    @cached_property
    def facing(self) -> tuple[Part, ...]:
        """The same, and those apart in which most of the frame belongs to another id."""
        return self._kinds(by_edge=True)

    def _kinds(self, by_edge: bool) -> tuple[Part, ...]:
        kinds: dict[object, list[int]] = {}
        for row in np.flatnonzero(self.chosen).tolist():
            same = tuple(label for label in self.seen.sets[row] if label)
            kinds.setdefault((same, int(self.seen.edge[row])) if by_edge else same, []).append(row)
        if not 1 < len(kinds) <= _MOST_KINDS:
            return (self,)
        return tuple(Part(self.seen, np.isin(np.arange(len(self.chosen)), rows)) for rows in kinds.values())

    @cached_property
    def bits(self) -> float:
        """The bits that it takes to say which files these are: the name of their group, or so many of all; none for the whole set.

        How many is one number of so many, or, in the code for any whole number (Elias 1975, gamma code), a small one; 1 bit says which.
        """
        number, total = self.num_files, self.seen.num_files
        if number == total:
            return 0.0
        if self.group is not None:
            return log2(len(self.seen.groups)) + 1
        which = (lgamma(total + 1) - lgamma(number + 1) - lgamma(total - number + 1)) / log(2)
        return min(log2(total + 1), 2 * log2(number) + 1) + 1 + which


def bits_of_names(parts: Sequence[Part]) -> float:
    """The bits that say which files belong to each part: all but one part have to be named, and that one is what is left."""
    bits = [part.bits for part in parts]
    return sum(bits) - max(bits)


def _shares(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.divide(numbers, max(1, int(numbers.sum())))

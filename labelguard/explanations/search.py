"""Search: explanations of the whole set, then of parts of it that have a fate of their own, all on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labelguard.explanations import binary, codes, objects, palettes, per_file, plain, shifts, spaces, spread
from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import UNKNOWN, Case, Explanation, Family
from labelguard.explanations.lengths import length
from labelguard.explanations.part import Part
from labelguard.explanations.seeds import seeds
from labelguard.explanations.sightings import Sightings
from labelguard.spec.labelspec import LabelSpec

FAMILIES: tuple[Family, ...] = (plain.families, shifts.families, binary.families, spread.families, codes.families,
                                palettes.families, spaces.families, objects.families, per_file.families)
_BEST = 5        # explanations of the rest that are tried beside each of a part
_MOST_PARTS = 3
_MOST_IDS = 512  # of a set that is parted; more of them number objects, or measure something


@dataclass(frozen=True, eq=False)
class Account:
    """What is said to have happened to all files of a set, and the bits that it takes, term by term."""

    told: tuple[Told, ...]
    terms: dict[str, float]

    @cached_property
    def bits(self) -> float:
        """Their sum."""
        return sum(self.terms.values())

    @cached_property
    def name(self) -> object:
        """What tells its cause from others: what happened to which files, in whatever order they are told."""
        return frozenset((explanation.name, part.num_files) for part, explanation in self.told)

    @cached_property
    def decoded(self) -> object:
        """What it takes every id of every file for; equal for accounts that would mend alike, however they cut the set into parts."""
        seen = self.told[0].part.seen
        there = np.zeros(len(seen.columns), np.int64)
        for part, explanation in self.told:
            targets = np.array([explanation.table.get(label, UNKNOWN) for label in seen.ids])
            np.copyto(there, targets[seen.columns], where=part.chosen[seen.rows])
        apart = frozenset((explanation.name, part.chosen.tobytes()) for part, explanation in self.told if explanation.own_bits is not None)
        return there.tobytes(), frozenset(label for _, explanation in self.told for label in explanation.mixed), apart


def accounts(seen: Sightings, spec: LabelSpec) -> list[Account]:
    """All that were weighed, the shortest first."""
    whole = Part(seen, np.ones(len(seen.files), bool))
    found = sorted(_of_whole(whole, spec), key=lambda account: account.bits)
    for _ in range(_MOST_PARTS - 1 if len(seen.ids) <= _MOST_IDS else 0):
        best = found[0]
        more = [account for place in range(len(best.told)) for seed in seeds(best.told[place], spec)
                for account in _parted(best, place, seed, spec)]
        found = sorted([*found, *more], key=lambda account: account.bits)
        if found[0] is best:
            break
    return found


def explanations(part: Part, spec: LabelSpec) -> Iterator[Explanation]:
    """All that may have happened to some files; of those of one cause that decode alike, the likeliest."""
    case = Case(part, spec)
    likeliest: dict[object, Explanation] = {}
    for family in FAMILIES:
        for explanation in family(case):
            alike = explanation.name, explanation.num_classes, explanation.mixed, tuple(
                explanation.table.get(label, UNKNOWN) for label in part.ids)
            if alike not in likeliest or explanation.bits < likeliest[alike].bits:
                likeliest[alike] = explanation
    yield from likeliest.values()


def _account(told: Sequence[Told], spec: LabelSpec) -> Account:
    return Account(tuple(told), length(told, spec))


def _of_whole(whole: Part, spec: LabelSpec) -> Iterator[Account]:
    return (_account([Told(whole, explanation)], spec) for explanation in explanations(whole, spec))


def _parted(account: Account, place: int, seed: Part, spec: LabelSpec) -> Iterator[Account]:
    """The account with one of its parts cut in two, the seed and the rest, and every explanation of either."""
    part = account.told[place].part
    rest = Part(seed.seen, part.chosen & ~seed.chosen)
    others = [*account.told[:place], *account.told[place + 1:]]
    of_rest = sorted(explanations(rest, spec), key=lambda each: sum(length([*others, Told(rest, each)], spec).values()))
    of_seed = [*explanations(seed, spec), *([plain.other_scenes(Case(seed, spec))] if seed.group is not None else [])]
    for first in of_rest[:_BEST]:
        for second in of_seed:
            if first.name != second.name or second.apart:
                yield _account([*others, Told(rest, first), Told(seed, second)], spec)

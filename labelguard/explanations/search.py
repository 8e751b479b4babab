"""Search: explanations of the whole set, then of parts of it that have a fate of their own, all on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import binary, clipped, codes, counting, objects, palettes, per_file, plain, repeated, shifts, spaces, spread
from labelguard.explanations.bounds import least
from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import UNKNOWN, Case, CauseName, Explanation, Family
from labelguard.explanations.lengths import length
from labelguard.explanations.part import Part
from labelguard.explanations.priors import prior
from labelguard.explanations.seeds import seeds
from labelguard.explanations.sides import doubtful, sides
from labelguard.explanations.sightings import Sightings
from labelguard.facts.record import Ids
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

_OF_IDS: frozenset[Family] = frozenset((plain.families, spread.families, codes.families, palettes.families, clipped.families,
                                       repeated.families))  # which look at nothing but which ids there are
FAMILIES: tuple[Family, ...] = (plain.families, shifts.families, binary.families, spread.families, codes.families,
                                palettes.families, spaces.families, objects.families, counting.families, per_file.families,
                                clipped.families, repeated.families)
_BEST = 5        # explanations of the rest that are tried beside each of a part
_MOST_PARTS = 3
_MOST_IDS = 512  # of a set that is parted; more of them number objects, or measure something
_ROUNDS = 3      # in which files change sides
_HOPELESS = 128.0  # bits that nothing gives back: what is longer by more is not weighed
_MANY = 32       # accounts that are told apart exactly, even where all but the first are hopeless
_MOST_ROWS = 64  # kinds of files of which it is asked one by one whether they have a fault too; of more of them, it stays open
OF_ITS_FILE = -3  # what an id means where each file has a numbering of its own


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

    @property
    def causes(self) -> frozenset[CauseName]:
        """What it says happened, to whichever files."""
        return frozenset(explanation.cause for _, explanation in self.told) - {"as declared"}

    @cached_property
    def meanings(self) -> NDArray[np.int64]:
        """(N,) what it takes every id of every row for: a class, void, or unknown; `OF_ITS_FILE` where each file has its own numbering."""
        seen = self.told[0].part.seen
        there = np.zeros(len(seen.columns), np.int64)
        for told in self.told:
            targets = told.targets if told.explanation.own_bits is None else np.full(len(seen.ids), OF_ITS_FILE)
            np.copyto(there, targets[seen.columns], where=told.part.chosen[seen.rows])
        return there

    @cached_property
    def decoded(self) -> object:
        """The same with the ids that stand for several things; equal for accounts that would mend alike, however they cut the set."""
        apart = frozenset((explanation.name, part.chosen.tobytes()) for part, explanation in self.told if explanation.own_bits is not None)
        return self.meanings.tobytes(), frozenset(label for _, explanation in self.told for label in explanation.mixed), apart

    @property
    def is_as_declared(self) -> bool:
        """Whether nothing happened, and every id is what is declared."""
        return all(explanation.cause == "as declared" and {*part.ids} <= {*explanation.table} for part, explanation in self.told)

    @property
    def num_classes(self) -> int:
        """The number of classes that there are."""
        return max(explanation.num_classes for _, explanation in self.told)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What happened to each part, and to which files that is where it is not all; always in one order."""
        several = len(self.told) > 1
        said = []
        for told in self.told:
            unknown = unknown_ids(told)
            if unknown or told.explanation.cause != "as declared" or not several:
                where = f"in {which(told.part)} " if several else ""
                strange = f", though nothing explains {id_ranges(sorted(unknown))}" if unknown else ""
                said.append(f"{where}{told.explanation.words}{strange}")
        return tuple(sorted(said))

    @cached_property
    def words(self) -> str:
        """What happened, as the end of a sentence."""
        return ", and ".join(self.said) or min((explanation.words for _, explanation in self.told), key=len)

    def unlike(self, other: Account) -> str:
        """The same, without what another account says as well."""
        return ", and ".join(each for each in self.said if each not in other.said) or self.words


def which(part: Part) -> str:
    """What some of the files are to be called."""
    number = f"{part.num_files:,} of {count(part.seen.num_files, 'file')}"
    return number if part.group is None or not part.group.words else f"{part.group.words} ({number})"


def unknown_ids(told: Told) -> set[int]:
    """The ids of a part that its explanation does not explain; none where each file has a numbering of its own."""
    part, explanation = told
    return set() if explanation.own_bits is not None else {*part.ids} - {*explanation.table}


def accounts(seen: Sightings, spec: LabelSpec) -> list[Account]:
    """All that were weighed, the shortest first."""
    whole, every = _whole(seen, spec)
    found = sorted((_account([Told(whole, each)], spec) for each in every), key=lambda account: account.bits)
    for _ in range(_MOST_PARTS - 1 if len(seen.ids) <= _MOST_IDS else 0):
        best = found[0]
        for place, told in enumerate(best.told):
            for seed in seeds(told, spec):
                found += _parted(best, place, seed, spec, _limit(best, found))
        found.sort(key=lambda account: account.bits)
        if found[0] is best:
            break
    return sorted([*found, *_settled(found[0], whole, spec)], key=lambda account: account.bits)


def _limit(best: Account, found: Sequence[Account]) -> float:
    """The bits above which nobody asks how many more it would be: then there are many that are shorter."""
    known = sorted(account.bits for account in found)
    return min([best.bits, *known[_MANY:_MANY + 1]]) + _HOPELESS


def _settled(account: Account, whole: Part, spec: LabelSpec) -> Iterator[Account]:
    """The account after its files have changed sides, each to the part that it fits best."""
    if len(account.told) == 1 or not all(explanation.by_columns for _, explanation in account.told):
        return
    for _ in range(_ROUNDS):
        wide = _of_all(account.told, spec)
        best = sides(wide).argmin(1)
        parts, rest = list[Part](), whole
        for place in range(len(wide) - 1):
            parts.append(Part(whole.seen, best == place))
            rest = rest.without(parts[-1])
        parts.append(rest)
        same = all((part.chosen == before.chosen).all() for part, (before, _) in zip(parts, wide, strict=True))
        if same or not all(part.num_files for part in parts):
            return
        account = _account([Told(part, _widened(explanation, part.ids, [*explanations(part, spec)]))
                            for part, (_, explanation) in zip(parts, wide, strict=True)], spec)
        yield account


def open_rows(account: Account, spec: LabelSpec) -> NDArray[np.bool_]:
    """(R,) the rows of which it is not sure to which part they belong, where that decides what becomes of them."""
    wide = _of_all(account.told, spec)
    found = doubtful(wide)
    for (part, explanation), (_, of_all) in zip(account.told, wide, strict=True):
        if part.group is None and of_all is explanation:  # it does not say what became of the ids of all files
            found |= _others_alike(account, part, explanation, spec)
    return found


def _others_alike(account: Account, part: Part, explanation: Explanation, spec: LabelSpec) -> NDArray[np.bool_]:
    """(R,) the rows outside a part that what happened to it would explain as well, with ids that no file of it holds."""
    seen, outside = part.seen, ~part.chosen
    rows = [row for row in np.flatnonzero(outside).tolist() if not {*seen.sets[row]} <= {*explanation.table}]
    if len(rows) > _MOST_ROWS:
        return outside
    found = np.zeros(len(outside), bool)
    for row in rows:
        own = next(each.table for there, each in account.told if there.chosen[row])
        for other in explanations(Part(seen, part.chosen | (np.arange(len(found)) == row)), spec):
            if _agrees(other, explanation, part.ids) and {*seen.sets[row]} <= {*other.table}:
                found[row] |= any(other.table[label] != own.get(label) for label in seen.sets[row])
    return found


def _of_all(told: Sequence[Told], spec: LabelSpec) -> list[Told]:
    """The same parts, with explanations that say what becomes of the ids of all files."""
    seen = told[0].part.seen
    every = _whole(seen, spec)[1]
    return [Told(part, _widened(explanation, part.ids, every)) for part, explanation in told]


@lru_cache(maxsize=1)  # it is asked again for each part of a set, and where files change sides
def _whole(seen: Sightings, spec: LabelSpec) -> tuple[Part, tuple[Explanation, ...]]:
    """All files of a set, and all that may have happened to them."""
    whole = Part(seen, np.ones(len(seen.files), bool))
    return whole, tuple(explanations(whole, spec))


def _widened(explanation: Explanation, ids: Ids, others: Sequence[Explanation]) -> Explanation:
    """The same explanation of other files, where there is one, else itself; it takes some ids for the same."""
    found = next((other for other in others if _agrees(other, explanation, ids)), None)
    return explanation if found is None else replace(found, apart=explanation.apart, bits=explanation.bits)


def _agrees(other: Explanation, explanation: Explanation, ids: Ids) -> bool:
    """Whether two explanations are one cause, and take some ids for the same as far as they know them."""
    return other.name == explanation.name and other.num_classes == explanation.num_classes and all(
        other.table.get(label) == explanation.table.get(label) for label in ids if label in explanation.table and label in other.table)


def explanations(part: Part, spec: LabelSpec) -> Iterator[Explanation]:
    """All that may have happened to some files; of those of one cause that decode alike, the likeliest."""
    case = Case(part, spec)
    likeliest: dict[object, Explanation] = {}
    for family in FAMILIES:
        for explanation in _of_ids(family, case) if family in _OF_IDS else family(case):
            alike = explanation.name, explanation.num_classes, explanation.mixed, explanation.lost, tuple(
                explanation.table.get(label, UNKNOWN) for label in part.ids), explanation.in_steps is None, explanation.alike
            if alike not in likeliest or explanation.bits < likeliest[alike].bits:
                likeliest[alike] = explanation
    yield from likeliest.values()


def _of_ids(family: Family, case: Case) -> tuple[Explanation, ...]:
    known, asked = _known(case.part.seen), (family, case.ids, case.spec)
    if asked not in known:
        known[asked] = tuple(family(case))
    return known[asked]


@lru_cache(maxsize=1)
def _known(seen: Sightings) -> dict[tuple[Family, Ids, LabelSpec], tuple[Explanation, ...]]:
    """What was asked before of ids: most parts of a set hold the same ones."""
    return {}


def _account(told: Sequence[Told], spec: LabelSpec, more: float = 0.0) -> Account:
    terms = length(told, spec)
    return Account(tuple(told), terms | {"groups": terms["groups"] + more})


def _saved_by_scenes(account: Account, place: int, seed: Part, spec: LabelSpec) -> float:
    """The bits that it saves to tell some files of a part apart though nothing else happened to them, since files that hold an id hold
    others with it. Where all ids are explained without, that speaks for no codes, nor for ids that nothing explains, in these files.
    """
    part, explanation = account.told[place]
    beyond = range(spec.last + 1, explanation.num_classes) if explanation.cause == "more classes" else ()
    if not spec.declared or not explanation.by_columns or not {*part.ids} <= {*explanation.table} or not {*beyond} <= {*part.ids}:
        return 0.0
    scenes = Told(seed, replace(plain.other_scenes(explanation), bits=prior("other scenes")))
    told = [*account.told[:place], *account.told[place + 1:], Told(part.without(seed), explanation), scenes]
    return max(0.0, account.bits - sum(length(told, spec).values()))


def _parted(account: Account, place: int, seed: Part, spec: LabelSpec, limit: float) -> Iterator[Account]:
    """The account with one of its parts cut in two, the seed and the rest, and every explanation of either that may keep to a limit."""
    part = account.told[place].part
    rest = part.without(seed)
    others = [*account.told[:place], *account.told[place + 1:]]
    of_rest = _shortest([Told(rest, each) for each in explanations(rest, spec)], others, spec, limit)
    of_seed = [*explanations(seed, spec)]
    if seed.group is not None:
        of_seed += [plain.other_scenes(each) for each in of_seed if each.cause == "as declared" and each.repairable]
    of_either = [Told(seed, each) for each in of_seed]
    saved = _saved_by_scenes(account, place, seed, spec) if seed.group is None else 0.0
    for first in of_rest:
        for second in of_either:
            one, other = first.explanation, second.explanation
            counted = {one.cause, other.cause} == {"numbered", "more classes"}  # numbers of objects show no number of classes
            in_steps = (one.in_steps is None) != (other.in_steps is None)
            told = [*others, first, second]
            if not counted and (one.name != other.name or other.apart or in_steps) and least(told) < limit:
                tells = saved > 0 and any(each.explanation.apart or unknown_ids(each) for each in (first, second))
                yield _account(told, spec, saved if tells else 0.0)


def _shortest(several: Sequence[Told], others: Sequence[Told], spec: LabelSpec, limit: float) -> Sequence[Told]:
    """The few shortest of what may have happened to a part, beside what is said of the others; none that cannot keep to a limit."""
    found: list[tuple[float, int]] = []
    for bound, place in sorted((least([*others, told]), place) for place, told in enumerate(several)):
        if bound >= min(limit, found[_BEST - 1][0] + _HOPELESS if len(found) >= _BEST else inf):
            break
        found = sorted([*found, (sum(length([*others, several[place]], spec).values()), place)])
    return [several[place] for _, place in found[:_BEST]]

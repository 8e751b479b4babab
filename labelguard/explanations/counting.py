"""The ids of each file run from 1 without a gap: they number its objects, or its classes anew; or classes come one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import lgamma, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import plain, priors
from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.log_sums import log_sums
from labelguard.explanations.priors import prior
from labelguard.explanations.sightings import Sightings
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.numbered_ids import highest_number
from labelguard.facts.record import Ids

_FEWEST_OBJECTS = 3   # in some file, below which they are classes like any others
_FEWEST_CLASSES, _MOST_CLASSES = 4, 64  # the most where none is declared
_MANY = 20            # numbers, which no list of classes of so few files reaches where none is declared
_GAP = 8.0            # bits for each id of a file that has gaps; or once, and then for those that are missing, where they are few
_LOST = 0.05          # of the numbers of such a file: objects that were covered, or cut away
_SURPRISE = 8.0       # bits by which files without gaps are more than by chance; with less, no fault is likely


class _Runs(NamedTuple):
    """In how many files the ids end where; and what it takes to tell those of the others, and in how many files 0 and void are."""

    ends: Counter[int]
    beside: float


def families(case: Case) -> Iterator[Explanation]:
    """Objects, classes that are numbered anew in each file, and what these have to beat: classes that each come with those before."""
    found = _runs(case)
    most, number = max(found.ends, default=0), case.spec.num_classes
    objects = most >= (_MANY if number is None else max(_FEWEST_OBJECTS, number)) and bool(case.illegal or not case.spec.declared)
    voids = {label: VOID for label in case.ids if label in case.spec.ignore_index or (label in TOPS and label > most)}
    few = all(label < (number or _MOST_CLASSES) for label in case.ids if label not in voids)  # no number is beyond that of classes
    classes = len(found.ends) > 1 and most >= _FEWEST_CLASSES and few
    if not objects and not classes:
        return
    unsaid = len(voids.keys() - {*case.spec.ignore_index}) * prior("void undeclared" if case.spec.declared else "void unsaid")
    table, in_steps = {0: 0} | voids, found.beside + min(_each(found.ends), _by_steps(found.ends))
    if objects:
        bits = prior("numbered") + prior("numbered without 0") * (0 not in case.ids) + unsaid
        numbered = Explanation("numbered", "the ids number the objects of each file", bits, table, number or 2,
                               own_bits=in_steps + log2(most + 1), alike=True)
        yield numbered
        yield replace(numbered, bits=bits + prior("numbered by class"), alike=False)
    if classes:
        yield Explanation("afresh", "the classes are numbered anew in each file", prior("afresh") + unsaid, table, number or most + 1,
                          own_bits=in_steps, alike=True)
    yield from _classes(in_steps, case)


def _classes(in_steps: float, case: Case) -> Iterator[Explanation]:
    """The same ids as classes, each in the files of the one before."""
    for explanation in plain.families(case):
        if explanation.cause in ("as declared", "more classes", "void") and {*case.ids} <= {*explanation.table}:
            yield replace(explanation, in_steps=priors.IN_STEPS + in_steps)


def _runs(case: Case) -> _Runs:
    seen, chosen = case.part.seen, case.part.chosen
    end_of, gaps = _rows(seen, case.spec.ignore_index)
    counted = chosen & (end_of >= 0)
    ends = Counter({end: int(files) for end, files in enumerate(np.bincount(end_of[counted], seen.files[counted])) if files})
    beside = float((gaps * seen.files)[chosen].sum())
    for label, files in zip(case.part.seen.ids, case.part.counts.tolist(), strict=True):
        if label == 0 or label in case.spec.ignore_index or (label in TOPS and label > max(ends, default=0)):
            half, one = log_sums((0.5, 1.0), case.part.num_files)
            beside += one[case.part.num_files] - half[files] - half[case.part.num_files - files]
    return _Runs(ends, float(beside))


@lru_cache(maxsize=4)  # it is asked again for each part of a set
def _rows(seen: Sightings, ignored: Ids) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(R,), (R,) where the ids of each row end, or -1 where they hardly count from 1; and what it takes to tell a file with gaps."""
    nothing, size = {0, *TOPS, *ignored}, len(seen.files)
    kept = np.array([label not in nothing for label in seen.ids])[seen.columns]
    rows, labels = seen.rows[kept], np.array(seen.ids)[seen.columns[kept]]
    number, first, last = np.bincount(rows, minlength=size), np.ones(size, np.int64), np.zeros(size, np.int64)
    last[rows] = labels  # the highest stays
    first[rows[::-1]] = labels[::-1]
    ends = np.fromiter((-1 if (end := highest_number(ids)) is None else end for ids in seen.sets), np.int64, size)
    ends[number == 0] = 0
    few, each = _GAP - (last - number) * log2(_LOST) - number * log2(1 - _LOST), _GAP * seen.num_ids
    gaps, cheap = ends < 0, (first >= 1) & (few <= each)
    return np.where(gaps & cheap, last, ends), np.where(gaps, np.where(cheap, few, each), 0.0)


def _each(ends: Mapping[int, int]) -> float:
    """The bits that say where each file ends, up to the highest."""
    return sum(ends.values()) * log2(max(ends, default=0) + 1)


def _by_steps(ends: Counter[int]) -> float:
    """The same, step by step: of the files that have got so far, how many go on, and which (Laplace 1814, rule of succession)."""
    bits, able = 0.0, ends.total()
    for step in range(max(ends, default=0)):
        taken = able - ends[step]
        bits += log2(able + 1) + (lgamma(able + 1) - lgamma(taken + 1) - lgamma(able - taken + 1)) / log(2)
        able = taken
    return bits


@lru_cache(maxsize=1)  # it is asked again for each part of a set
def without_gaps(seen: Sightings) -> list[NDArray[np.bool_]]:
    """The rows whose ids run from 1 without a gap, two of them at least, where they are more than by chance and others have gaps; and the
    groups in which none has a gap.

    Files that are chosen because they have no gap have to show more than all files of a set: it counts as chance that some hold few
    classes and some hold all of them.
    """
    files_with = Counter(chain.from_iterable(ids * files for ids, files in zip(seen.sets, seen.files.tolist(), strict=True)))
    if not run_on(files_with, zip(seen.sets, seen.files.tolist(), strict=True), ()):
        return []
    ends = np.array([0 if {0, *TOPS}.issuperset(ids) else highest_number(ids) or -1 for ids in seen.sets])
    if (ends >= 0).all() or not (ends > 1).any() or _are_rich(files_with, seen, ends):
        return []
    return [ends > 1, *(group.chosen for group in seen.groups if (ends[group.chosen] >= 0).all() and (ends[group.chosen] > 1).any())]


def _are_rich(files_with: Mapping[int, int], seen: Sightings, ends: NDArray[np.int64]) -> bool:
    """Whether files without gaps are no more than by chance among those that hold as many classes as they do, but not all."""
    classes = np.array([0 < label < TOPS[0] for label in seen.ids])
    sizes, most = np.bincount(seen.rows, classes[seen.columns], len(seen.files)).astype(np.int64), int(classes.sum())
    telling = (sizes > 0) & (sizes < most)
    by_chance = _first_ones([files_with[label] / seen.num_files for label, there in zip(seen.ids, classes, strict=True) if there])
    files = seen.files * telling
    return not _more(int(files[ends > 0].sum()), float(files @ by_chance[sizes]), int(files.sum()))


def run_on(files_with: Mapping[int, int], sets: Iterable[tuple[Ids, int]], ignored: Collection[int]) -> bool:
    """Whether more files than by chance hold classes from 1 on without a gap, with several ends.

    By chance, each class is in as many files as it is, whatever the others are.
    """
    classes = [label for label in files_with if label > 0 and label not in ignored and label not in TOPS]
    most, ends, total = max(classes, default=0), Counter[int](), 0
    if len(classes) != most or most < _FEWEST_CLASSES:
        return False
    for ids, files in sets:
        total += files
        end = highest_number(ids)
        if end is not None:
            ends[end] += files
    if len(ends) < 2:
        return False
    share = [files_with[label] / total for label in range(1, most + 1)]
    there, absent = np.cumprod(share), np.append(np.cumprod(1 - np.array(share[::-1]))[::-1][1:], 1.0)
    return _more(ends.total(), total * float((there * absent).sum()), total)


def _more(files: float, by_chance: float, total: float) -> bool:
    """Whether so many files of some are a surprise where so many are expected."""
    if not total:
        return False
    seen, chance = files / total, min(max(by_chance / total, 1e-9), 1 - 1e-9)
    missed = (1 - seen) * log2((1 - seen) / (1 - chance)) if seen < 1 else 0.0
    return seen > chance and total * (seen * log2(seen / chance) + missed) > _SURPRISE


def _first_ones(shares: Sequence[float]) -> NDArray[np.float64]:
    """(K + 1,) how likely it is that n classes of a file are the first n, where each is in a share of the files, whatever the others are.

    The odds of the first n by the sum of those of any n (conditional Bernoulli; Chen, Dempster and Liu 1994).
    """
    bounded = np.clip(shares, 1e-9, 1 - 1e-9)
    odds = np.log(bounded / (1 - bounded))
    any_ones = np.append(0.0, np.full(len(odds), -np.inf))
    for each in odds.tolist():
        any_ones[1:] = np.logaddexp(any_ones[1:], any_ones[:-1] + each)
    found: NDArray[np.float64] = np.exp(np.append(0.0, odds.cumsum()) - any_ones)
    return found

"""Smoothing: ids along borders are what a filter left there, and everything else is explained without them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, log2

import numpy as np

from labelguard.explanations import priors
from labelguard.explanations.decide import Verdict
from labelguard.explanations.lengths import columns_alike, size_orders
from labelguard.explanations.part import Part
from labelguard.explanations.search import accounts
from labelguard.explanations.sightings import Sightings
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.frozen import FrozenArray, FrozenDict
from labelguard.facts.record import FileRecord, Ids
from labelguard.spec.labelspec import LabelSpec

_MOSTLY_EXACT = 14  # of the density of the share of borders with ids in between: of exact files 5 in 1,000 have more than a third


@dataclass(frozen=True)
class Seams:
    """What looks like the work of a filter.

    Parameters
    ----------
    paths
        The files.
    seams
        The ids that lie along borders there, and fill little else.
    filling
        Those that fill areas.
    """

    paths: frozenset[str]
    seams: frozenset[int]
    filling: frozenset[int]


def is_likelier(found: Seams, verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> bool:
    """Whether it takes fewer bits to say that a filter left these ids than what the verdict says of all ids of the set.

    A filter leaves any ids between two others, in any file. What else explains them has to say why ids that stand for classes or objects
    lie along borders and nowhere else; that is said of each.
    """
    seen = verdict.told[0].part.seen
    other = verdict.accounts[0].bits + priors.BORDER_ONLY * len(found.seams)
    return any(bits < other for bits in _lengths(found, seen, data, spec))


def stands_out(borders: Sequence[tuple[int, int]], seams: int, number: int) -> bool:
    """Whether a few files of a set are likelier smoothed than exact, by their borders: that it is these has to be said as well.

    Parameters
    ----------
    borders
        For each of the files, how many borders have ids in between, and how many have room for some.
    seams
        The number of ids that lie along borders there, and fill little else.
    number
        The files of the set.
    """
    some = len(borders)
    which = 2 * log2(some) + 2 + (lgamma(number + 1) - lgamma(some + 1) - lgamma(number - some + 1)) / log(2)
    found = sum(_share_in_exact(*each) for each in borders) + priors.BORDER_ONLY * seams
    return found > priors.prior("smoothed") + priors.FAULT + which


def _share_in_exact(between: int, room: int) -> float:
    """How much less likely it is in an exact file than in a smoothed one, in bits, that so many of its borders have ids in between:
    beta-binomial, with the density Beta(1, 14) of their share in exact files, and any share as likely in smoothed ones."""
    def bits(most: int) -> float:
        return -(lgamma(between + 1) + lgamma(room - between + most) - lgamma(room + 1 + most) + log(most)) / log(2)
    return bits(_MOSTLY_EXACT) - bits(1)


def _lengths(found: Seams, seen: Sightings, data: DatasetFacts, spec: LabelSpec) -> Iterator[float]:
    """The bits where a filter left all ids that fill no area; or only those of them that are not legal."""
    rows = np.isin(np.arange(len(seen.files)), [row for path, row in seen.row_of_path.items() if path in found.paths])
    part = Part(seen, rows)
    ids = {label for row in np.flatnonzero(rows) for label in seen.sets[row]} - found.filling
    for left in (ids, {label for label in ids if spec.declared and not spec.is_legal(label)}):
        if left:
            bits = priors.prior("smoothed") + priors.FAULT + part.bits + _of_left(left, part)
            yield bits + accounts(Sightings.of(_without(data, found.paths, left)), spec)[0].bits


def _of_left(left: Collection[int], part: Part) -> float:
    """The bits for which of these ids stand in which of the files, all as common as each other, and how large they are, all alike.

    A filter leaves what it found and what lies between, so that an id comes with the one before it: it is told among the files that hold
    that one, and among the others.
    """
    files = part.num_files_of
    first, *others = sorted(left)
    before = dict(zip(others, (first, *others), strict=False))
    both = part.following(before)
    after = [(both[label], files[other]) for label, other in before.items()]
    new = [(files[first], part.num_files)]
    new += [(files[label] - both[label], part.num_files - files[other]) for label, other in before.items()]
    width = max(part.seen.ids) - min(part.seen.ids) + 1  # a filter leaves nothing far from what it found
    looks = part.looks[[label in left for label in part.seen.ids]].sum(0, keepdims=True)
    columns = columns_alike(after, len(after), part.num_files) + columns_alike(new, width, part.num_files)
    return columns + size_orders(looks, part.seen.usual_sizes)


def _without(data: DatasetFacts, paths: Collection[str], left: Collection[int]) -> DatasetFacts:
    """The facts without some ids of some files; a file that holds nothing else keeps them, since a filter makes nothing out of nothing."""
    records = tuple(_other_ids(record, left) if record.path in paths else record for record in data.select())
    return replace(data, records=records, files_with=FrozenDict(Counter(label for record in records for label in record.ids)))


def _other_ids(record: FileRecord, left: Collection[int]) -> FileRecord:
    places = [place for place, label in enumerate(record.ids) if label not in left] or range(len(record.ids))

    def chosen(numbers: array[int]) -> array[int]:
        return FrozenArray("q", [numbers[place] for place in places] if numbers else ())
    ids: Ids = tuple(record.ids[place] for place in places)
    return record._replace(ids=ids, num_pixels=chosen(record.num_pixels), frame_pixels=chosen(record.frame_pixels))

"""Sides: to which part of a set each of its files belongs, by what it holds, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import priors
from labelguard.explanations.columns import Columns, Told, columns_of
from labelguard.explanations.explanation import UNKNOWN, VOID, Column, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.sightings import NUM_AREAS, NUM_FRAMES, NUM_SIZES, Sightings

_SURE = 6.0   # bits by which a file has to fit its part better than another one
_FEW = 64     # files, of which each is held against the others alone: it must not speak for its own part
_NEVER = 1e6  # bits: files with a numbering of their own do not change sides


def sides(told: Sequence[Told]) -> NDArray[np.float64]:
    """(R, P) the bits that it takes to tell what a file of each row holds if it belongs to each part, and to say that it does."""
    sizes, files = told[0].part.seen.sizes, told[0].part.seen.files
    return np.stack([before + np.bincount(sizes.rows, each * sizes.files, len(files)) / files for before, each in _bits(told)], 1)


def _bits(told: Sequence[Told]) -> list[tuple[float, NDArray[np.float64]]]:
    """For each part the bits that say that a file belongs to it and lacks all classes, and (M,) what each of its ids of each size adds."""
    seen = told[0].part.seen
    total = seen.num_files + len(told) / 2
    found = []
    for part, explanation in told:
        pool = Columns.of([each for each in told if not each.explanation.apart] if not explanation.apart else [Told(part, explanation)])
        absent, each = _of_files(seen, explanation, pool)
        found.append((absent - log2((part.num_files + 0.5) / total), each))
    return found


def _of_files(seen: Sightings, explanation: Explanation, pool: Columns) -> tuple[float, NDArray[np.float64]]:
    """The bits in the proportions of all that is decoded (as in `lengths`): of a file without any class, and what each id adds."""
    if not explanation.by_columns:
        return _NEVER, np.zeros(len(seen.sizes.keys))
    shares: dict[object, float] = {column: (number + 0.5) / (pool.among.get(column, pool.num_files) + 1)
                                   for column, number in pool.classes.items() if _is_told(column, explanation)}
    shares |= {(VOID, place): (number + 0.5) / (pool.num_files + 1) for place, number in pool.voids.items()}
    places, sizes = pool.sizes
    bits = np.zeros((len(seen.ids), NUM_AREAS, NUM_FRAMES))
    for at, column in enumerate(columns_of(seen.ids, explanation)):
        told = explanation.columns.get(column, column) if isinstance(column, int) else column
        share = shares.get(told, 0.5 / (pool.num_files + 1))
        bits[at] = log2(1 - share) - log2(share) + (priors.UNKNOWN_ID + 8) * (isinstance(column, tuple) and column[0] == UNKNOWN)
        looks = (sizes[places[column]] if column in places else np.zeros(NUM_AREAS + NUM_FRAMES)) + seen.usual_sizes
        areas, frames = looks[:NUM_AREAS], looks[NUM_AREAS:]
        bits[at] -= priors.SIZES * (np.log2(areas / areas.sum())[:, None] + np.log2(frames / frames.sum()))
    return -sum(log2(1 - share) for share in shares.values()), bits.ravel()[seen.sizes.keys]


def _is_told(column: Column, explanation: Explanation) -> bool:
    """Whether an explanation says of a file whether it holds a class, or one of several."""
    return column in explanation.together if isinstance(column, frozenset) else column not in explanation.columns


def _margins(told: Sequence[Told]) -> NDArray[np.float64]:
    """(R, P, P) by how many bits the file of each row that fits the first part worst fits it better than the second one, at least.

    The files of a row hold the same ids; each id is taken in the size that speaks most for the second part.
    """
    seen = told[0].part.seen
    keys = seen.sizes.rows * len(seen.ids) + seen.sizes.keys // NUM_SIZES
    order = np.argsort(keys, kind="stable")  # of an id in a row, all sizes one after the other
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    rows, bits = keys[order[begins]] // len(seen.ids), [(before, each[order]) for before, each in _bits(told)]
    found = np.zeros((len(seen.files), len(told), len(told)))
    for place, (before, own) in enumerate(bits):
        for other, (instead, others) in enumerate(bits):
            least = np.minimum.reduceat(others - own, begins)
            found[:, place, other] = instead - before + np.bincount(rows, least, len(seen.files))
    return found


def _by_others(told: Sequence[Told]) -> NDArray[np.float64]:
    """(R, P, P) the same, where files are few by what the other files hold alone."""
    seen = told[0].part.seen
    if seen.num_files > _FEW:
        return _margins(told)
    rows = np.arange(len(seen.files))
    return np.stack([_margins([Told(Part(seen, part.chosen & (rows != row)), explanation) for part, explanation in told])[row]
                     for row in rows])


def doubtful(told: Sequence[Told]) -> NDArray[np.bool_]:
    """(R,) the rows of which it is not sure to which part all of their files belong, where that decides what becomes of them."""
    seen = told[0].part.seen
    found = np.zeros(len(seen.files), bool)
    margins = _by_others(told)
    targets = [np.array([explanation.table.get(label, UNKNOWN) for label in seen.ids]) for _, explanation in told]
    for place, (part, _) in enumerate(told):
        for other, (there, _) in enumerate(told):
            if other != place and not (part.group is not None and there.group is not None):
                differ = np.bincount(seen.rows, (targets[place] != targets[other])[seen.columns], len(seen.files)) > 0
                found |= part.chosen & differ & (margins[:, place, other] < _SURE)
    return found

"""Sightings, cases and accounts that are made by hand for the tests of explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import Case, CauseName, Explanation
from labelguard.explanations.groups import Grouping
from labelguard.explanations.part import Part
from labelguard.explanations.search import Account
from labelguard.explanations.sightings import NUM_FRAMES, NUM_SIZES, Sightings, Sizes
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, dataset

Sets = Mapping[tuple[int, ...], int]
TERMS = ("prior", "groups", "classes", "own", "void", "unknown", "sizes", "shape", "order")


def sightings(sets: Sets, groupings: Sequence[Grouping] = (), edge: Sequence[int] = (), **core: float) -> Sightings:
    """Sightings of so many files with each set of ids, a row each; every id covers as much as any other."""
    ids = tuple(sorted({label for each in sets for label in each}))
    entries = [(row, ids.index(label)) for row, each in enumerate(sets) for label in each]
    rows, columns = np.array(entries).T
    ones, files = np.ones(len(rows), np.int64), np.array([*sets.values()])
    sizes = Sizes(rows, columns * NUM_SIZES + NUM_FRAMES + 1, files[rows])
    edges, numbered = np.array(edge) if edge else np.full(len(sets), -1), np.zeros((len(sets), 4), np.int64)
    return Sightings(ids, files, {}, tuple(groupings), edges, rows, columns, tuple(sets), ones, ones, sizes, core,  # type: ignore[arg-type]
                     numbered)


def whole(seen: Sightings) -> Part:
    """All of the files."""
    return Part(seen, np.ones(len(seen.files), bool))


def case_of(masks: Sequence[Labels], spec: LabelSpec) -> Case:
    """What explanations of a whole set of masks may depend on."""
    return Case(whole(Sightings.of(dataset(masks, spec))), spec)


def told_as(part: Part, table: Mapping[int, int], number: int = 2, cause: str = "as declared", **more: object) -> Told:
    """Some files, and a cause with its table."""
    assert cause in get_args(CauseName)
    return Told(part, Explanation(cause, cause, 0.5, table, number, **more))  # type: ignore[arg-type]


def account(told: Sequence[Told] = (), **bits: float) -> Account:
    """An account of these lengths, 0 where none is given."""
    return Account(tuple(told), dict.fromkeys(TERMS, 0.0) | bits)

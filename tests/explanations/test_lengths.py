"""Bits: what each term rewards and what it charges."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, log2

import numpy as np
import pytest

from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import VOID, Explanation
from labelguard.explanations.lengths import length
from labelguard.explanations.part import Part
from labelguard.explanations.priors import FAULT, NO_VOID, PRIORS
from labelguard.explanations.sightings import NUM_AREAS, NUM_FRAMES, Sightings
from labelguard.spec.labelspec import LabelSpec

Sets = Mapping[tuple[int, ...], int]


def seen(sets: Sets, **shares: float) -> Sightings:
    """Sightings of so many files with each set of ids, in one folder; every id covers as much as any other."""
    ids = tuple(sorted({label for each in sets for label in each}))
    entries = [(row, ids.index(label)) for row, each in enumerate(sets) for label in each]
    rows, columns = np.array(entries).T
    ones, files = np.ones(len(rows), np.int64), np.array([*sets.values()])
    looks = np.zeros((len(rows), NUM_AREAS + NUM_FRAMES), np.int64)
    looks[:, 1] = looks[:, NUM_AREAS + 1] = files[rows]
    edge, numbered = np.full(len(sets), -1), np.zeros((len(sets), 4), np.int64)
    return Sightings(ids, files, {}, (), edge, rows, columns, tuple(sets), ones, ones, looks, shares, numbered)  # type: ignore[arg-type]


def terms(sets: Sets, table: Mapping[int, int], number: int, spec: LabelSpec | None = None, cause: str = "as declared") -> dict[str, float]:
    sightings = seen(sets)
    part = Part(sightings, np.ones(len(sets), bool))
    return length([Told(part, Explanation(cause, "", 0.5, table, number))], spec or LabelSpec(number))  # type: ignore[arg-type]


def absent(sets: Sets, number: int) -> float:
    """What one more class that no file holds costs."""
    table = {label: label for each in sets for label in each}
    return terms(sets, table, number)["classes"] - terms(sets, table, number - 1)["classes"]


def test_an_absent_class_is_a_surprise_where_all_others_are_in_every_file() -> None:
    everywhere = {tuple(range(9)): 50}
    assert absent(everywhere, 10) > 4


def test_an_absent_class_is_none_where_a_hundred_others_are_absent_too() -> None:
    rare = {(label, label + 1): 1 for label in range(0, 20, 2)}
    assert absent(rare, 120) < 0.5


def test_two_ids_for_one_class_share_a_column() -> None:
    halves = {(0, 1): 10, (0, 255): 10}
    merged = terms(halves, {0: 0, 1: 1, 255: 1}, 2)["classes"]
    assert merged < terms(halves, {0: 0, 1: 1, 255: 2}, 3)["classes"]


def test_a_fault_costs_its_prior_and_an_unknown_id_is_a_fault_as_well() -> None:
    sets = {(0, 1, 9): 4}
    known = terms(sets, {0: 0, 1: 1, 9: 1}, 2)
    assert terms(sets, {0: 0, 1: 1, 9: 1}, 2, cause="shift")["prior"] - known["prior"] == pytest.approx(FAULT)
    unknown = terms(sets, {0: 0, 1: 1}, 2)
    assert unknown["prior"] - known["prior"] == pytest.approx(FAULT) and unknown["unknown"] > 15 and known["unknown"] == 0


def test_a_declared_void_label_that_is_missing_costs_more_than_one_in_every_file() -> None:
    missing = terms({(0, 1): 20}, {0: 0, 1: 1}, 2, LabelSpec(2, 255))["void"]
    everywhere = terms({(0, 1, 255): 20}, {0: 0, 1: 1, 255: VOID}, 2, LabelSpec(2, 255))["void"]
    assert missing == NO_VOID and 0 < everywhere < 2


def test_a_part_is_named_by_choosing_its_files() -> None:
    sightings = seen({(0, 1): 30, (2, 3): 2})
    part = Part(sightings, np.array([False, True]))
    assert part.bits == pytest.approx(2 * log2(2) + 1 + 1 + log2(comb(32, 2)))
    most = Part(sightings, np.array([True, False]))
    assert most.bits == pytest.approx(log2(33) + 1 + log2(comb(32, 2)))
    assert Part(sightings, np.array([True, True])).bits == 0


def test_every_prior_says_why() -> None:
    assert all(prior.bits >= 0 and len(prior.why) > 10 for prior in PRIORS.values())

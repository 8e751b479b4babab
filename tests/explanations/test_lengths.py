"""Bits: what each term rewards and what it charges."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from math import comb, log2

import numpy as np
import pytest

from labelguard.explanations.columns import Columns
from labelguard.explanations.explanation import VOID, Explanation
from labelguard.explanations.groups import Grouping
from labelguard.explanations.lengths import length
from labelguard.explanations.part import Part, bits_of_names
from labelguard.explanations.priors import FAULT, NO_VOID, PRIORS
from labelguard.spec.labelspec import LabelSpec
from tests.explanations.made import Sets, case_of, sightings, told_as, whole

TOLD_APART = Explanation("as declared", "each class has its own id", 0.5, {label: label for label in range(4)}, 4)


def terms(sets: Sets, table: Mapping[int, int], number: int, spec: LabelSpec | None = None, cause: str = "as declared") -> dict[str, float]:
    return length([told_as(whole(sightings(sets)), table, number, cause)], spec or LabelSpec(number))


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


def test_classes_that_have_one_id_are_told_together_in_the_files_where_that_is_so() -> None:
    seen, pair = sightings({(0, 1, 2): 9, (0, 2, 3): 5, (2, 3): 4}), frozenset((0, 1))
    told = [told_as(Part(seen, np.array(chosen)), {0: 0, 1: 1, 2: 2, 3: 3}, 4, together=together)
            for chosen, together in (([True, False, False], ()), ([False, True, True], (pair,)))]
    columns = Columns.of(told)
    assert columns.classes == {0: 9, 1: 9, 2: 18, 3: 9, pair: 5} and columns.among == {0: 9, 1: 9, pair: 9}
    assert length(told, LabelSpec(4))["classes"] < length([told[0], told[1]._replace(explanation=TOLD_APART)], LabelSpec(4))["classes"]


@pytest.mark.parametrize("there", [(0, 2), (2, 3)])
def test_classes_that_have_one_id_everywhere_are_one_column_seen_or_not(there: tuple[int, ...]) -> None:
    together = told_as(whole(sightings({there: 9})), {0: 0, 2: 2, 3: 3}, 4, together=(frozenset((0, 1)),))
    alone = told_as(whole(sightings({there: 9})), {0: 0, 2: 1, 3: 2}, 3)
    assert length([together], LabelSpec(4))["classes"] == pytest.approx(length([alone], LabelSpec(3))["classes"])


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
    seen = sightings({(0, 1): 30, (2, 3): 2})
    part = Part(seen, np.array([False, True]))
    assert part.bits == pytest.approx(2 * log2(2) + 1 + 1 + log2(comb(32, 2)))
    most = Part(seen, np.array([True, False]))
    assert most.bits == pytest.approx(log2(33) + 1 + log2(comb(32, 2)))
    assert whole(seen).bits == 0


def test_a_background_is_named_once_where_0_is_in_no_file_and_twice_where_it_is_another_class() -> None:
    rng = np.random.default_rng(0)
    masks = [np.where(rng.random((20, 20)) < 0.1, rng.integers(1, 9), 0) for _ in range(30)]
    seen = case_of(masks, LabelSpec(9)).part

    def bits(*classes: int) -> float:
        found = length([told_as(seen, dict(enumerate(classes)), 10)], LabelSpec(10))
        return found["classes"] + found["sizes"]
    usual = bits(*range(9))
    assert bits(*range(1, 10)) - usual == pytest.approx(log2(10), abs=0.1)
    assert bits(1, 0, *range(2, 9)) - usual > log2(10) + log2(8)


def test_walls_and_a_floor_are_both_larger_than_the_rest_wherever_ids_begin() -> None:
    rng = np.random.default_rng(0)
    masks = [np.where(rng.random((20, 20)) < 0.02, rng.integers(2, 30, (20, 20)), (np.arange(20) > 11)[:, None]) for _ in range(30)]
    seen = case_of(masks, LabelSpec(30)).part

    def sizes(first: int) -> float:
        return length([told_as(seen, {label: label + first for label in range(30)}, 31)], LabelSpec(31))["sizes"]
    assert sizes(1) - sizes(0) == pytest.approx(0, abs=0.1)


def test_codes_of_some_files_cost_more_than_those_of_all() -> None:
    seen = sightings({(0, 1, 2): 9, (0, 2, 7): 1})
    rest, one = (Part(seen, np.arange(2) == row) for row in range(2))
    of_all = length([told_as(whole(seen), {0: 0, 1: 1, 2: 2, 7: 3}, 4, "in order")], LabelSpec(4))["prior"]
    of_one = length([told_as(rest, {0: 0, 1: 1, 2: 2}, 4), told_as(one, {0: 0, 2: 1, 7: 2}, 4, "in order")], LabelSpec(4))["prior"]
    assert of_one - of_all == pytest.approx(PRIORS["codes in part"].bits + PRIORS["as declared"].bits)


def test_the_part_that_takes_most_bits_to_name_is_what_is_left() -> None:
    """A folder in which one file has another fate is not named file by file."""
    seen = sightings({(0, 1): 20, (0, 2): 1, (0, 3): 30}, [Grouping("folder", ("a", "b"), np.array([0, 0, 1]))])
    others, one, folder = (Part(seen, np.arange(3) == row) for row in range(3))
    assert others.bits > one.bits + folder.bits
    for parts in permutations((others, one, folder)):
        assert bits_of_names(parts) == pytest.approx(one.bits + folder.bits)


def test_every_prior_says_why() -> None:
    assert all(prior.bits >= 0 and len(prior.why) > 10 for prior in PRIORS.values())

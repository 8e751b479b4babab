"""What odds are held against: the truth of a set, and who takes it rightly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fixtures.exam.calibrate import NOT_WEIGHED, claimed, mistaken, own_numbers, places, table, what_they_were
from fixtures.exam.cases import Case
from fixtures.exam.sample import Sample, relabeled
from labelguard.explanations.explanation import UNKNOWN, VOID
from labelguard.spec.labelspec import LabelSpec

RIGHT = Sample({f"{place}.png": np.array([[0, 1, 2, 3]] * 4, np.uint8) for place in range(12)}, LabelSpec(4))


def faulty(stored: Sample) -> Case:
    return Case("fault", "a fault", 0, 0, "12 files", stored, truth=RIGHT)


def test_an_id_was_what_nearly_all_of_its_pixels_were() -> None:
    right = np.array([[0] * 10, [2] * 9 + [1], [3] * 5 + [255] * 5])
    stored = np.array([[7] * 10, [8] * 10, [9] * 10])
    assert what_they_were(stored, right, (255,)) == {7: {0}, 8: {2, UNKNOWN}, 9: {UNKNOWN}}
    assert what_they_were(np.array([[5]]), np.array([[255]]), (255,)) == {5: {VOID}}


@pytest.mark.parametrize(("files", "own"), [([{1: 1, 2: 2}, {1: 1}], False), ([{1: 1}, {1: 2}], True), ([{1: 1, 2: 1}], True)])
def test_numbers_are_those_of_a_file_where_ids_do_not_mean_the_same(files: list[dict[int, int]], own: bool) -> None:
    known = {str(place): {label: frozenset((there,)) for label, there in each.items()} for place, each in enumerate(files)}
    assert own_numbers(known) is own


def test_an_account_is_true_where_it_takes_every_id_for_what_it_was() -> None:
    counted = RIGHT.with_masks(lambda labels: labels + np.uint8(1))
    found = claimed(faulty(counted))
    assert (found.said, found.certainty, found.true) == ("up", "certain", True)
    other = replace(RIGHT, masks={name: relabeled(labels, {2: 3, 3: 2}) for name, labels in RIGHT.masks.items()})
    assert not claimed(replace(faulty(counted), truth=other)).true


def test_a_set_that_nothing_was_asked_of_is_taken_as_it_is_declared() -> None:
    assert claimed(Case("healthy", "a set", 0, 0, "12 files", RIGHT)).true
    exchanged = RIGHT.with_masks(lambda labels: relabeled(labels, {1: 2, 2: 1}))
    found = claimed(faulty(exchanged))
    assert found.band == NOT_WEIGHED and not found.true


def test_what_is_claimed_stands_beside_what_was_so() -> None:
    one = claimed(faulty(RIGHT.with_masks(lambda labels: labels + np.uint8(1))))
    claims = [one._replace(odds=0.97, true=true) for true in (True, False)]
    row = next(line for line in table(claims) if line.startswith("| 95-99 %"))
    assert row == "| 95-99 % | 2 | 97.0 | 50.0 | 0 |  |  | 97.0 | 50.0 |"
    line, = mistaken(claims)
    assert line.startswith("- 1 x up, of fault: a fault, numbers 0; 97.00 % of 12 files")


def test_healthy_and_faulty_sets_come_by_turns() -> None:
    chosen = places(150, 6, "")
    assert [name.partition(":")[0] for name, _, _ in chosen] == ["healthy", "fault"] * 3 and len({*chosen}) == 6
    assert {name for name, _, _ in places(150, 3, "counted from 2")} == {"fault: counted from 2"}

"""Where smoothing begins: each number of the rule, just inside and just outside."""

from __future__ import annotations

from array import array
from collections import Counter

import pytest

from labelguard.checks._smoothing import Pool, smoothed_files
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.label_runs import NAMES, LabelRuns
from labelguard.facts.record import FileRecord

IDS = (0, 1, 2)


def pool(areas: dict[int, int] | None = None, thin: dict[int, int] | None = None, **numbers: int) -> Pool:
    return Pool(Counter(numbers), Counter(areas), Counter(thin))


def seen(*steps: tuple[int, int]) -> list[str]:
    """The files that were smoothed, of files with so many direct steps and so many with some id in between."""
    records = []
    for number, (direct, ramps) in enumerate(steps):
        totals = {"direct": direct, "ramps": ramps, "varied": 20 if ramps else 0, "looked": 10_000}
        runs = LabelRuns(array("q", [*(totals.get(name, 0) for name in NAMES), 50, 50, 50, 0, ramps, 0]))
        records.append(FileRecord(str(number), (100, 100), IDS, array("q", (5000, 10, 4990)), "png", True, None, runs))
    return [record.path for record in smoothed_files(DatasetFacts(records=records))]


@pytest.mark.parametrize(("steps", "found"), [((70, 30), True), ((71, 30), False)])
def test_a_file_of_which_three_steps_in_ten_have_ids_in_between(steps: tuple[int, int], found: bool) -> None:
    assert seen(steps) == ["0"] * found


@pytest.mark.parametrize(("steps", "found"), [((30, 30), True), ((29, 30), False)])
def test_a_file_needs_sixty_steps_to_tell(steps: tuple[int, int], found: bool) -> None:
    assert seen(steps) == ["0"] * found


@pytest.mark.parametrize(("last", "found"), [((40, 10), True), ((39, 10), False), ((41, 10), False)])
def test_small_files_are_judged_together(last: tuple[int, int], found: bool) -> None:
    """Of 200 steps or more, two in ten; with the last file there are 200, 199 or 201 steps, of which 40 have ids in between."""
    assert seen(*[(40, 10)] * 3, last) == ["0", "1", "2", "3"] * found


@pytest.mark.parametrize(("steps", "found"), [((59, 41), True), ((60, 40), False)])
def test_few_files_of_an_exact_set_have_to_stand_out(steps: tuple[int, int], found: bool) -> None:
    assert seen(steps, *[(100, 0)] * 3) == ["0"] * found


@pytest.mark.parametrize(("thin", "is_seam"), [(5, False), (6, True)])
def test_an_id_that_lies_along_borders_and_fills_little_else(thin: int, is_seam: bool) -> None:
    runs = pool(areas={0: 9, 1: 1}, thin={1: thin})
    assert runs.seams == [1] * is_seam and runs.filling == [0] + [1] * (not is_seam)


@pytest.mark.parametrize(("ripples", "noisy"), [(19, False), (20, True)])
def test_ids_overshoot_at_a_fifth_of_the_steps(ripples: int, noisy: bool) -> None:
    assert pool(direct=50, ramps=50, ripples=ripples).noisy is noisy


@pytest.mark.parametrize(("bands", "drawn"), [(50, False), (51, True)])
def test_half_as_many_wide_runs_are_classes_that_lie_between_others(bands: int, drawn: bool) -> None:
    assert pool(ramps=100, bands=bands).drawn_between is drawn


@pytest.mark.parametrize(("repeated", "drawn"), [(49, False), (50, True)])
def test_the_same_id_in_between_fifty_times_is_a_class_of_lines(repeated: int, drawn: bool) -> None:
    assert pool(ramps=100, repeated=repeated).drawn_between is drawn


@pytest.mark.parametrize(("bands", "width", "ordered"), [(15, 9, False), (16, 9, True), (0, 9, False), (0, 10, True)])
def test_grades_are_told_by_wide_bands_or_by_more_ids_than_a_filter_is_wide(bands: int, width: int, ordered: bool) -> None:
    assert pool(thin={0: 1, width: width + 1}, ramps=100, bands=bands).ordered is ordered

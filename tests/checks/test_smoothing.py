"""Where smoothing begins: each number of the rule, just inside and just outside."""

from __future__ import annotations

from array import array
from collections import Counter

import pytest

from labelguard.checks import _smoothing
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
def test_few_files_of_an_exact_set_have_to_stand_out(steps: tuple[int, int], found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smoothing, "stands_out", lambda *_: True)
    assert seen(steps, *[(100, 0)] * 3) == ["0"] * found


@pytest.mark.parametrize(("steps", "found"), [((34, 66), True), ((35, 65), False)])
def test_and_to_pay_for_being_those_few(steps: tuple[int, int], found: bool) -> None:
    assert seen(steps, *[(100, 0)] * 3) == ["0"] * found


@pytest.mark.parametrize(("side", "ramps", "coarse"), [(71, 44, True), (72, 44, False), (71, 45, False)])
def test_few_borders_of_small_masks_may_be_small_objects(side: int, ramps: int, coarse: bool) -> None:
    record = FileRecord("0", (100, side), IDS, array("q", (5000, 10, 4990)), "png", True)
    found = pool(ramps=ramps, direct=100 - ramps)
    found.files.append(record)
    assert found.coarse is coarse


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


@pytest.mark.parametrize(("on", "off", "ends", "ripples", "kind"), [
    (21, 0, 91, 11, "blocks"), (20, 0, 90, 11, "between"),    # more ends on the grid than chance puts there
    (30, 19, 100, 11, "blocks"), (30, 20, 100, 11, "between"),  # and than lie halfway between
    (30, 0, 100, 10, "between"),                              # compression also ripples
    (0, 0, 100, 15, "between"), (0, 0, 100, 16, "beyond"),
])
def test_what_caused_it(on: int, off: int, ends: int, ripples: int, kind: str) -> None:
    assert pool(direct=50, ramps=50, on_grid=on, off_grid=off, ends=ends, ripples=ripples).kind == kind


@pytest.mark.parametrize(("direct", "ramps", "compared", "highest", "found"), [
    (100, 900, 9, 4, True), (101, 899, 0, 4, False),   # a tenth of the steps skips ids
    (1000, 9000, 90, 4, True), (1000, 9000, 91, 4, False),  # a hundredth of the steps in between is by more than one
    (100, 900, 9, 3, False),                           # three steps up
])
def test_ids_that_change_by_one(direct: int, ramps: int, compared: int, highest: int, found: bool) -> None:
    numbers = {"direct": direct, "ramps": ramps, "varied": compared - compared // 2, "repeated": compared // 2}
    assert pool(thin={1: 9, highest: 9}, **numbers).by_one is found


@pytest.mark.parametrize(("varied", "found"), [(101, True), (102, False)])
def test_a_class_of_lines_is_in_between_49_times_of_50(varied: int, found: bool) -> None:
    assert pool(repeated=5100, varied=varied, ramps=5100).drawn_between is found


AREAS = {0: 10, 99: 10}


def told(thin: dict[int, int], *elsewhere: int, areas: dict[int, int] = AREAS, share: float = 0.3, ramps: int = 50, **numbers: int) -> bool:
    """Whether files with a hundred steps were smoothed."""
    return pool({**AREAS, **areas}, thin, **{"direct": 100 - ramps, "ramps": ramps, "looked": 100} | numbers).smoothed(share, elsewhere)


def lines(*ids: int) -> dict[int, int]:
    """Ids that are only ever in between."""
    return dict.fromkeys(ids, 100)


@pytest.mark.parametrize(("short", "found"), [(50, True), (51, False)])
def test_noise_is_what_changes_after_a_pixel_or_two_in_most_places(short: int, found: bool) -> None:
    assert told(lines(3, 4, 5), short=short) is found


def test_a_border_needs_two_areas() -> None:
    numbers = {"direct": 50, "ramps": 50, "looked": 100}
    assert pool({0: 10, 99: 10}, lines(3, 4, 5), **numbers).smoothed(0.3)
    assert not pool({0: 10}, lines(3, 4, 5), **numbers).smoothed(0.3)


@pytest.mark.parametrize(("seams", "areas", "found"), [(4, 2, True), (3, 2, False), (5, 5, True), (4, 5, False)])
def test_where_ids_overshoot_four_seams_and_as_many_as_areas_are_enough(seams: int, areas: int, found: bool) -> None:
    held = {100 - number: 10 for number in range(1, areas)}
    assert told(lines(*range(1, seams + 1)), areas=held, ramps=0, ripples=100) is found


@pytest.mark.parametrize(("seams", "areas", "ramps", "found"), [
    (8, 2, 16, True), (8, 2, 15, False),               # half the share of steps will do
    (7, 2, 16, False), (10, 5, 16, True), (9, 5, 16, False)])
def test_eight_seams_and_twice_as_many_as_areas_need_half_the_share(seams: int, areas: int, ramps: int, found: bool) -> None:
    held = {100 - number: 10 for number in range(1, areas)}
    assert told(lines(*range(1, seams + 1)), areas=held, ramps=ramps) is found


@pytest.mark.parametrize(("seams", "same", "ramps", "found"), [
    (10, 5, 31, True), (10, 5, 30, False), (10, 4, 31, False), (4, 3, 31, True), (4, 2, 31, False)])
def test_files_resemble_smoothed_ones_by_half_the_seams_and_half_the_share(seams: int, same: int, ramps: int, found: bool) -> None:
    smoothed = pool(AREAS, lines(*range(1, seams + 1)), direct=40, ramps=60)
    assert pool(AREAS, lines(*range(1, same + 1)), direct=100 - ramps, ramps=ramps).resembles(smoothed) is found


@pytest.mark.parametrize(("varied", "repeated", "found"), [
    (2, 18, True), (2, 17, False),       # twenty that can be compared
    (11, 99, True), (10, 100, False)])   # a tenth of them differs
def test_ids_in_between_differ_from_place_to_place(varied: int, repeated: int, found: bool) -> None:
    assert told(lines(3, 4), varied=varied, repeated=repeated) is found


@pytest.mark.parametrize(("most", "found"), [(90, True), (91, False)])
def test_a_single_id_in_nine_places_of_ten_needs_a_larger_share(most: int, found: bool) -> None:
    assert told({3: most, 4: 100 - most}, 3) is found


@pytest.mark.parametrize(("ramps", "elsewhere", "areas", "found"), [
    (61, (3,), 0, True), (60, (3,), 0, False), (61, (), 50, True), (61, (), 49, False)])
def test_a_single_id_is_more_than_a_line_if_it_fills_areas(ramps: int, elsewhere: tuple[int, ...], areas: int, found: bool) -> None:
    assert told(lines(3), *elsewhere, areas={3: areas}, ramps=ramps) is found


@pytest.mark.parametrize(("ramps", "thin", "areas", "found"), [
    (91, 100, 2, True), (90, 100, 2, False), (91, 100, 1, False), (91, 50, 2, True), (91, 50, 1, False),
    (91, 150, 3, True), (91, 150, 2, False)])
def test_where_ids_hardly_ever_meet_two_classes_that_have_areas_lie_in_between(ramps: int, thin: int, areas: int, found: bool) -> None:
    assert told({3: thin, 4: thin}, areas={3: areas, 4: areas}, ramps=ramps) is found


@pytest.mark.parametrize(("seams", "found"), [(70, True), (71, False)])
def test_three_of_ten_in_between_are_ids_that_fill_areas(seams: int, found: bool) -> None:
    assert told({3: seams - 35, 4: 35, 5: 100 - seams}, areas={5: 100}) is found


@pytest.mark.parametrize(("ids", "varied", "repeated", "ends", "found"), [
    (3, 0, 49, 65, True), (2, 0, 49, 65, False),       # three seams are enough, unless the same id is in between everywhere,
    (3, 0, 50, 65, False),                             # as fifty places show
    (3, 102, 4998, 65, True), (3, 101, 4999, 65, False),  # of which not one in fifty differs
    (3, 0, 50, 64, True),                              # and if most steps have one such id, not several in a row
])
def test_three_seams_are_enough_unless_they_are_lines(ids: int, varied: int, repeated: int, ends: int, found: bool) -> None:
    assert told(lines(*range(3, 3 + ids)), varied=varied, repeated=repeated, ends=ends) is found


@pytest.mark.parametrize(("only_between", "found"), [(50, True), (49, False)])
def test_half_of_what_lies_in_between_fills_no_area_at_all(only_between: int, found: bool) -> None:
    assert pool({5: 9}, {3: only_between, 5: 100 - only_between}).nowhere_else is found


@pytest.mark.parametrize(("ramps", "found"), [(485, True), (475, False)])
def test_standing_out_is_a_tenth_above_twice_the_usual_share(ramps: int, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smoothing, "stands_out", lambda *_: True)
    usual = [(810, 190)] * 4  # so that it begins at 0.48
    assert ("0" in seen((1000 - ramps, ramps), *usual)) is found


@pytest.mark.parametrize(("thin", "varied", "spreads"), [
    ({3: 95, 4: 95, 5: 10}, 0, False), ({3: 95, 4: 94, 5: 11}, 0, True),   # a third id on more than a twentieth of the ramps
    ({3: 200}, 4, False), ({3: 200}, 5, True)])                            # or more than one ramp in fifty that differs
def test_a_thin_layer_or_two_do_not_spread(thin: dict[int, int], varied: int, spreads: bool) -> None:
    runs = pool({9: 9}, thin)
    runs.numbers.update(ramps=200, direct=100, varied=varied)
    assert runs.spreads is spreads

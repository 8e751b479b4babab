"""What ids beyond the classes are: each number of the judgement, just inside and just outside."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks._unexpected_ids import judge
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset

SPEC = LabelSpec(3)


def judged(*ids: int, spec: LabelSpec = SPEC) -> list[tuple[int, ...]]:
    """The ids of each verdict on a set of one mask."""
    return [verdict.ids for verdict in judge(dataset([np.array([ids], np.uint16)], spec), spec)]


def cause_of_255(*rectangles: tuple[int, int], classes: int) -> str:
    """What 255 is, in rectangles of these heights and widths, where the ids 0 to `classes` - 1 are seen."""
    labels = np.zeros((100, 1000), np.uint8)  # of this height, a pixel lies inside where its eight neighbors are of its id
    labels[-1, :classes] = range(classes)
    for number, (height, width) in enumerate(rectangles):
        labels[1:1 + height, 12 * number + 1:12 * number + 1 + width] = 255
    verdict, = judge(dataset([labels], SPEC), SPEC)
    return verdict.cause


@pytest.mark.parametrize(("lowest", "found"), [(253, [(253,)]), (252, [])])
def test_wrapped_ids_end_within_three_of_the_top(lowest: int, found: list[tuple[int, ...]]) -> None:
    assert judged(0, 1, lowest) == found
    assert judged(0, 1, lowest + 65280) == [(label + 65280,) for label, in found]


@pytest.mark.parametrize(("length", "judged_as_one"), [(32, True), (33, False)])
def test_wrapped_ids_are_no_more_than_32(length: int, judged_as_one: bool) -> None:
    run = tuple(range(256 - length, 256))
    assert judged(0, 1, 2, *run) == [run] * judged_as_one


@pytest.mark.parametrize(("others", "found"), [((100, 120), [(255,)]), ((100, 120, 140), [])])
def test_no_more_than_two_others_lie_outside_the_classes(others: tuple[int, ...], found: list[tuple[int, ...]]) -> None:
    assert judged(0, 1, 2, *others, 255) == found


@pytest.mark.parametrize(("lower", "found"), [(223, [(255,)]), (222, [])])
def test_without_a_class_count_a_gap_of_more_than_32_parts_the_ids(lower: int, found: list[tuple[int, ...]]) -> None:
    assert judged(*range(10), lower, 255, spec=LabelSpec()) == found


@pytest.mark.parametrize(("highest", "found"), [(191, [(255,)]), (192, [])])
def test_without_a_class_count_ids_that_fill_three_quarters_of_the_type_are_levels(highest: int, found: list[tuple[int, ...]]) -> None:
    assert judged(*range(highest + 1), 255, spec=LabelSpec()) == found


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_each_width_has_a_top_of_its_own(bits: int) -> None:
    verdict, = judge(dataset([np.array([[0, 1, 2, 2 ** bits - 1]])], SPEC), SPEC)
    assert (verdict.ids, verdict.bits) == ((2 ** bits - 1,), bits)
    assert judged(0, 1, 2, 2 ** 8 - 4) == []


FIFTH, BELOW_A_FIFTH = [(5, 3)] * 10, [(5, 3)] * 10 + [(3, 4)]                 # 3 of 15 pixels lie inside, 2 of 12
HALF, BELOW_HALF = [(6, 8)] * 10, [(6, 8)] * 10 + [(6, 7)]                     # 24 of 48, 20 of 42


@pytest.mark.parametrize(("rectangles", "cause"), [(BELOW_A_FIFTH, "void"), (FIFTH, "no-class")])
def test_lines_have_less_than_a_fifth_of_their_pixels_inside(rectangles: list[tuple[int, int]], cause: str) -> None:
    assert cause_of_255(*rectangles, classes=3) == cause


@pytest.mark.parametrize(("rectangles", "cause"), [(HALF, "shift"), (BELOW_HALF, "undetermined")])
def test_areas_have_half_of_their_pixels_inside(rectangles: list[tuple[int, int]], cause: str) -> None:
    assert cause_of_255(*rectangles, classes=2) == cause


@pytest.mark.parametrize(("ids", "found"), [((0, 1, 156), [(156,)]), ((1, 156), [])])
def test_without_a_class_count_two_ids_below_show_that_one_is_a_stray(ids: tuple[int, ...], found: list[tuple[int, ...]]) -> None:
    assert judged(*ids, spec=LabelSpec()) == found


@pytest.mark.parametrize(("label", "found"), [(25, []), (156, [(156,)])])
def test_in_the_lower_half_of_the_type_no_id_is_a_negative_number(label: int, found: list[tuple[int, ...]]) -> None:
    assert judged(0, 1, label) == found

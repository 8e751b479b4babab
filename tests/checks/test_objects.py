"""When are ids the numbers of objects? Shared by LG111 and LG112."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks._objects import counted, numbered_objects
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, dataset, mask


def objects(number: int, *, compact: int = 99) -> Labels:
    """So many ids, one below the other; the first `compact` are squares, the others two lines at a right angle."""
    labels = np.zeros((10 * number + 1, 12), np.uint8)
    for label in range(1, number + 1):
        labels[10 * label - 9:10 * label, 1:10] = label
        if label > compact:
            labels[10 * label - 8:10 * label, 2:10] = 0
    return labels


@pytest.mark.parametrize(("spec", "needed"), [(LabelSpec(2), 6), (LabelSpec(4), 6), (LabelSpec(5), 7), (LabelSpec(10), 12),
                                              (LabelSpec(), 20)])
def test_how_high_they_have_to_reach(spec: LabelSpec, needed: int) -> None:
    assert numbered_objects(dataset([objects(number) for number in (3, 4, needed)]), spec)
    assert not numbered_objects(dataset([objects(number) for number in (3, 4, needed - 1)]), spec)


def test_three_files_with_three_different_ends_are_needed() -> None:
    assert numbered_objects(dataset([objects(number) for number in (3, 4, 20)]), LabelSpec())
    assert not numbered_objects(dataset([objects(number) for number in (4, 20)]), LabelSpec())
    assert not numbered_objects(dataset([objects(number) for number in (4, 4, 20)]), LabelSpec())


@pytest.mark.parametrize(("with_gaps", "found"), [(1, True), (2, False)])
def test_one_file_in_twenty_may_have_gaps(with_gaps: int, found: bool) -> None:
    masks = [objects(number) for number in range(3, 23 - with_gaps)] + [mask("0 1 3")] * with_gaps
    assert len(masks) == 20
    assert numbered_objects(dataset(masks), LabelSpec()) is found


@pytest.mark.parametrize(("compact", "found"), [(15, True), (14, False)])
def test_three_quarters_are_compact_where_they_follow_each_other_in_order(compact: int, found: bool) -> None:
    masks = [objects(20, compact=compact), objects(4, compact=3), objects(8, compact=6)]
    assert numbered_objects(dataset(masks), LabelSpec()) is found


def test_files_of_background_and_void_do_not_count() -> None:
    running, files = counted(dataset([mask("0 0"), mask("0 255"), mask("0 1 2"), mask("0 2")]), LabelSpec())
    assert ([numbers.number for numbers in running], files) == ([2], 2)
    assert counted(dataset([mask("0 65535", "uint16")]), LabelSpec()) == ([], 0)
    assert [counted(dataset([mask(f"0 {label}", "uint16")]), LabelSpec())[1] for label in (254, 256, 65534)] == [1, 1, 1]


@pytest.mark.parametrize(("ids", "highest"), [("1 2 255", [2]), ("1 2 65535", [2]), ("1 2 254", []), ("1 2 65534", []), ("1 2 256", [])])
def test_a_void_label_at_the_top_of_the_type_is_no_object(ids: str, highest: list[int]) -> None:
    running, _ = counted(dataset([mask(ids, "uint16")]), LabelSpec())
    assert [numbers.number for numbers in running] == highest


def out_of_order(number: int, *, compact: int = 99) -> Labels:
    """Objects numbered from the bottom up."""
    return objects(number, compact=compact)[::-1]


@pytest.mark.parametrize(("compact", "found"), [(17, True), (16, False)])
def test_nine_of_ten_are_compact_where_they_come_in_any_order(compact: int, found: bool) -> None:
    masks = [out_of_order(20, compact=compact), out_of_order(3), out_of_order(7)]
    assert numbered_objects(dataset(masks), LabelSpec()) is found


def mostly_ordered(*others: Labels, ordered: int = 18, all_files: int = 20) -> list[Labels]:
    """Three quarters of the ids are compact, which suffices only where they are in order."""
    masks = [objects(8, compact=6), objects(12, compact=9), *[objects(4, compact=3)] * (ordered - 2)]
    return [*masks, *[out_of_order(4, compact=3)] * (all_files - ordered), *others]


@pytest.mark.parametrize(("ordered", "found"), [(18, True), (17, False)])
def test_order_shows_in_nine_files_of_ten(ordered: int, found: bool) -> None:
    assert numbered_objects(dataset(mostly_ordered(ordered=ordered)), LabelSpec(2)) is found


@pytest.mark.parametrize(("number", "found"), [(2, True), (3, False)])
def test_two_objects_are_no_evidence_of_order(number: int, found: bool) -> None:
    assert numbered_objects(dataset(mostly_ordered(out_of_order(number))), LabelSpec(2)) is found

"""Masks that break off in the middle of a row, told from padded ones and from things that end by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.facts.cut_off import CutOff, cut_off
from tests.checks.scenes import Labels


def posts(*, left: int, right: int, row: int = 30, column: int = 50, height: int = 60, wide: int = 4, across: bool = True) -> Labels:
    """Posts of classes 1, 2, 3, ... from top to bottom on either side of a column, one of them across, and 0 from the given place on."""
    labels = np.zeros((height, 100), np.uint8)
    for number in range(left - across):
        labels[:, 2 + 10 * number:2 + 10 * number + wide] = 1 + number
    for number in range(right - across):
        labels[:, 60 + 10 * number:60 + 10 * number + wide] = 1 + number
    if across:
        labels[:, column - wide:column + wide] = 9
    labels[row, column:] = 0
    labels[row + 1:] = 0
    return labels


@pytest.mark.parametrize(("left", "right", "found"), [
    (2, 2, True), (4, 3, True), (2, 1, False), (1, 2, False), (1, 1, None)])
def test_it_takes_several_ends_on_either_side(left: int, right: int, found: bool | None) -> None:
    cut = cut_off(posts(left=left, right=right))
    assert (cut and cut.sure) is found
    assert cut is None or (cut.row, cut.column) == (30, 50)


@pytest.mark.parametrize(("left", "right", "found"), [(2, 2, False), (4, 3, False), (3, 0, None), (0, 3, None)])
def test_rows_of_things_that_end_at_two_heights_are_no_sure_cut(left: int, right: int, found: bool | None) -> None:
    cut = cut_off(posts(left=left, right=right, across=False))
    assert (cut and cut.sure) is found


@pytest.mark.parametrize(("row", "found"), [(2, False), (3, True), (58, True), (59, False)])
def test_neither_the_first_rows_nor_the_last_tell(row: int, found: bool) -> None:
    assert bool(cut_off(posts(left=3, right=3, row=row))) is found


@pytest.mark.parametrize(("wide", "found"), [(3, True), (2, False)])
def test_ragged_rims_are_no_ends(wide: int, found: bool) -> None:
    assert bool(cut_off(posts(left=3, right=3, wide=wide))) is found


def test_what_narrows_ends_by_itself() -> None:
    y, x = np.mgrid[:60, :100]
    discs = sum(((y - 22 - (k < 2)) ** 2 + (x - 15 - 25 * k) ** 2 < 81).astype(np.uint8) * (k + 1) for k in range(4))
    assert cut_off(discs.astype(np.uint8)) is None


@pytest.mark.parametrize("labels", [
    posts(left=3, right=3, row=30, column=0), np.zeros((60, 100), np.uint8), posts(left=3, right=3, height=31),
    np.ones((60, 100), np.uint8)], ids=["padded", "empty", "whole", "full"])
def test_it_leaves_alone(labels: Labels) -> None:
    assert cut_off(labels) is None


def test_what_is_found_can_be_compared() -> None:
    assert cut_off(posts(left=2, right=2)) == CutOff(30, 50, True)

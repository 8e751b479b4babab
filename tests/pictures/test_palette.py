"""The colors of classes that have none: who is color-blind tells the first twelve apart, and neighbors at any number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from labelguard.pictures.class_colors import default_color
from labelguard.pictures.palette import DEFAULT_COLORS, HATCH_COLOR, SIGNAL_COLOR, VOID_COLOR
from tests.pictures.color_difference import ciede2000, differences


@pytest.mark.parametrize(("one", "other", "difference"), [  # Sharma, Wu and Dalal 2005, table 1: some pairs
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, -0.001, 2.49), (50, 0.0009, -2.49), 4.8045),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065), ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
])
def test_differences_are_those_of_the_published_pairs(one: tuple[float, ...], other: tuple[float, ...], difference: float) -> None:
    assert ciede2000(np.array(one, float), np.array(other, float)) == pytest.approx(difference, abs=1e-4)


def least(colors: list[tuple[int, int, int]]) -> float:
    apart = differences(colors)
    return float(apart[np.triu_indices(len(colors), 1)].min())


@pytest.mark.parametrize(("classes", "apart"), [(2, 45), (4, 25), (8, 13), (12, 12.5)])
def test_the_first_classes_are_told_apart_with_any_cones(classes: int, apart: float) -> None:
    assert least([default_color(label) for label in range(1, classes + 1)]) > apart


def test_no_class_is_taken_for_the_background_for_void_or_for_what_is_no_class() -> None:
    others = [DEFAULT_COLORS[0], VOID_COLOR, HATCH_COLOR, SIGNAL_COLOR]
    assert least(others) > 8
    assert differences([*DEFAULT_COLORS[1:13], *others])[:12, 12:].min() > 12
    assert differences([*DEFAULT_COLORS[13:], *others])[:-4, -4:].min() > 6


def test_there_are_256_colors_and_no_two_are_equal() -> None:
    assert len(set(DEFAULT_COLORS)) == len(DEFAULT_COLORS) == 256


def test_neighbors_of_high_numbers_are_still_apart() -> None:
    apart = differences(DEFAULT_COLORS)
    assert min(apart[np.arange(256 - step), np.arange(step, 256)].min() for step in (1, 2, 3, 4, 5)) > 6


@pytest.mark.parametrize("first", [256, 1000, 26000, 65530, 2 ** 31, 2 ** 32 - 300])
def test_ids_of_16_and_32_bits_have_colors_unlike_those_of_their_neighbors(first: int) -> None:
    colors = [default_color(label) for label in range(first, first + 200)]
    assert all(one != other for one, other in pairwise(colors)) and len(set(colors)) > 150

"""The faults of a box against their plain definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.facts.boxes import fault_of

NUMBERS = st.integers(-3, 12).map(float)


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_a_box_has_area_in_the_image_unless_it_says_why_not(box: tuple[float, float, float, float]) -> None:
    x, y, width, height = box
    covered = {(row, column) for row in range(8) for column in range(10) if y <= row < y + height and x <= column < x + width}
    fault = fault_of(box, (8, 10))
    assert bool(covered) == (fault in (None, "thin", "beyond"))
    if fault in (None, "beyond"):
        assert x + width - 1 > x and y + height - 1 > y


@pytest.mark.parametrize(("box", "fault"), [
    ((-1, 1, 5, 5), None), ((-1.05, 1, 5, 5), "beyond"), ((1, 1, 10, 5), None), ((1, 1, 10.05, 5), "beyond"),
    ((1, 1, 5, 8), None), ((1, 1, 5, 8.05), "beyond")])
def test_a_rounded_box_may_reach_over_the_edge_by_a_pixel(box: tuple[float, float, float, float], fault: str | None) -> None:
    assert fault_of(box, (8, 10)) == fault

"""Making a failing case smaller."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from labelguard.lossprobe.search.ddmin import Box, ddmin, shortest_run, shrink_box


@given(st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.integers(0, size - 1), min_size=1, max_size=3))))
def test_exactly_the_needed_items_are_left(case: tuple[int, set[int]]) -> None:
    size, needed = case
    trials = 0

    def fails(items: list[int]) -> bool:
        nonlocal trials
        trials += 1
        return needed <= set(items)

    assert ddmin(range(size), fails) == sorted(needed)
    assert trials <= 3 * size
    if len(needed) == 1:
        assert trials <= 2 * size.bit_length()


@given(st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.sets(st.integers(0, size - 1), min_size=1, max_size=3))))
def test_the_shortest_run_spans_what_is_needed(case: tuple[int, set[int]]) -> None:
    size, needed = case
    assert shortest_run(range(size), lambda items: needed <= set(items)) == list(range(min(needed), max(needed) + 1))


def test_what_has_no_smaller_part_stays_whole() -> None:
    assert ddmin("abcd", lambda _: False) == list("abcd")


@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_a_rectangle_shrinks_to_what_is_needed(height: int, width: int, data: st.DataObject) -> None:
    pixel = st.tuples(st.integers(0, height - 1), st.integers(0, width - 1))
    needed = data.draw(st.sets(pixel, min_size=1, max_size=3))
    trials = 0

    def attempt(box: Box) -> Box | None:
        nonlocal trials
        trials += 1
        inside = all(box[0] <= row < box[2] and box[1] <= column < box[3] for row, column in needed)
        return box if inside else None

    rows, columns = [row for row, _ in needed], [column for _, column in needed]
    assert shrink_box((0, 0, height, width), attempt) == (min(rows), min(columns), max(rows) + 1, max(columns) + 1)
    if len(needed) == 1:
        assert trials <= 2 * (height.bit_length() + width.bit_length())


def test_what_does_not_shrink_costs_little() -> None:
    trials: list[Box] = []
    assert shrink_box((0, 0, 360, 480), lambda box: trials.append(box)) == (0, 0, 360, 480)
    assert len(trials) == 6

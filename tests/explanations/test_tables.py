"""Families of explanations whose tables undo what they say happened: what was encoded is decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.explanations import codes, objects, palettes, per_file, spaces, spread
from labelguard.explanations.explanation import VOID, Explanation, Family
from labelguard.spec.label_spaces import spaces as all_spaces
from labelguard.spec.labelspec import LabelSpec
from tests.explanations.made import case_of

NUMBERS = st.integers(4, 40)


def explained(family: Family, ids: list[int], spec: LabelSpec) -> list[Explanation]:
    return [*family(case_of([np.array([ids], np.int32)] * 2, spec))]


def undone(family: Family, encode: Callable[[int], int], number: int, cause: str) -> bool:
    """Whether one of the explanations with a cause gives back every class."""
    return any(explanation.cause == cause and all(explanation.table.get(encode(label)) == label for label in range(number))
               for explanation in explained(family, sorted({encode(label) for label in range(number)}), LabelSpec(number)))


@given(NUMBERS, st.integers(2, 200))
def test_a_factor_is_divided_by(number: int, factor: int) -> None:
    assert undone(spread.families, lambda label: label * factor, number, "factor")


@given(NUMBERS, st.integers(1, 127))
def test_a_factor_that_leaves_the_type_is_undone_where_nothing_collides(number: int, half: int) -> None:
    factor = 2 * half + 1  # odd: no two of 256 ids collide
    if factor * number > 256:
        assert undone(spread.families, lambda label: label * factor % 256, number, "factor")


@given(st.integers(5, 80))
def test_a_factor_that_is_cut_at_the_top_is_undone_for_one_class_more(factor: int) -> None:
    number = -(-255 // factor) + 1
    if number > 3 and 255 % factor:
        assert undone(spread.families, lambda label: min(255, label * factor), number, "factor")


@given(NUMBERS, st.sampled_from([255, 65535]), st.booleans())
def test_levels_are_undone(number: int, top: int, rounded: bool) -> None:
    assert undone(spread.families, lambda label: int(label * top / (number - 1) + 0.5 * rounded), number, "levels")


@given(st.integers(3, 16), st.sampled_from([*palettes.READERS]))
def test_luminances_are_undone(number: int, reader: str) -> None:
    palette = palettes.interleaved_palette(number)
    assert undone(palettes.families, lambda label: palettes.READERS[reader](*palette[label]), number, "palette")


@given(st.sets(st.integers(41, 250), min_size=4, max_size=40))
def test_codes_keep_their_order(chosen: set[int]) -> None:
    ordered = sorted(chosen)
    assert undone(codes.families, ordered.__getitem__, len(ordered), "in order")


@given(NUMBERS, st.sampled_from([1000, 65536, 256]), st.integers(1, 100))
def test_object_numbers_are_taken_off(number: int, size: int, which: int) -> None:
    if gcd(size, which) == 1:  # multiples of a number were multiplied
        assert undone(objects.families, lambda label: label * size + which, number, "instances")


@given(st.sampled_from([(space, name) for space in all_spaces() for name in space.to]))
def test_every_official_table_is_applied(which: tuple[object, str]) -> None:
    space, name = which
    table: Mapping[int, int | None] = space.to[name]  # type: ignore[attr-defined]
    target = next(each.spec for each in all_spaces() if each.name == name)
    found = explained(spaces.families, sorted(table), LabelSpec(target.num_classes, 255))
    assert any({label: VOID if there is None else there for label, there in table.items()} == explanation.table for explanation in found)


def test_each_file_needs_a_scale_of_its_own() -> None:
    """Files that are all spread alike are spread alike, and not each by itself."""
    def stretched(*files: list[int]) -> bool:
        return any(each.cause == "stretched" for each in per_file.families(case_of([np.array([ids]) for ids in files], LabelSpec(6))))
    assert stretched([0, 85, 170, 255], [0, 51, 102, 255])
    assert not stretched([0, 85, 170, 255], [0, 85, 255])
    assert stretched([0, 120, 248], [0, 80, 160, 247]) and not stretched([0, 120, 248], [0, 80, 160, 230])  # 8 ids between their tops


def test_any_number_of_classes_may_have_left_the_type() -> None:
    assert undone(spread.families, lambda label: label * 255 % 256, 182, "factor")


def test_void_that_a_multiple_of_a_class_is_too_cannot_be_parted_from_it() -> None:
    found = explained(spread.families, [0, 85, 170, 84, 169, 255], LabelSpec(19, 255))
    assert any(each.amount == 85 and each.mixed == {255} for each in found)
    assert not any(each.mixed for each in explained(spread.families, [0, 85, 170, 84, 169], LabelSpec(19, 255)) if each.amount == 85)


@pytest.mark.parametrize(("codes", "chance"), [(5, True), (6, False)])
def test_few_ids_among_many_classes_are_in_a_table_by_chance(codes: int, chance: bool) -> None:
    table = {200 + label: label for label in range(codes)}  # 2 bits each
    assert spread.may_be_chance(Explanation("levels", "", 7.0, table, 64)) is chance


@pytest.mark.parametrize(("classes", "chance"), [((0, 3, 6, 9), True), ((0, 3, 6, 8), False)])
def test_classes_that_are_multiples_themselves_may_be_fewer_in_larger_steps(classes: tuple[int, ...], chance: bool) -> None:
    table = {64 * place: label for place, label in enumerate(classes)}
    assert spread.may_be_chance(Explanation("levels", "", 7.0, table, 12)) is chance


def test_multiples_without_a_0_may_count_from_1() -> None:
    found = explained(spread.families, [30, 60, 90, 120], LabelSpec(4))
    assert {30: 0, 60: 1, 90: 2, 120: 3} in [each.table for each in found if each.amount == 30]

"""Which color an id has."""

from __future__ import annotations

import pickle

import pytest

from labelguard.pictures.class_colors import ClassColors, default_color
from labelguard.pictures.palette import SIGNAL_COLOR, VOID_COLOR
from labelguard.spec.declarations import presets, read_preset
from labelguard.spec.labelspec import LabelSpec
from tests.pictures.color_difference import differences


def test_declared_colors_come_first_then_those_of_the_palette() -> None:
    assert ClassColors(LabelSpec(2, colors=[(1, 2, 3), (4, 5, 6)])).of(1) == (4, 5, 6)
    assert ClassColors(LabelSpec(2)).of(1) == ClassColors().of(1) == default_color(1)


def test_ignored_ids_are_grey_and_ids_that_are_no_class_have_a_color_of_their_own() -> None:
    colors = ClassColors(LabelSpec(3, ignore_index=[255, 7]))
    assert [colors.of(label) for label in (7, 255)] == [VOID_COLOR] * 2
    assert [colors.of(label) for label in (3, 99, -1)] == [SIGNAL_COLOR] * 3
    assert [colors.role(label) for label in (2, 3, 7)] == ["class", "foreign", "void"]


def test_where_nothing_is_declared_all_but_negative_ids_are_classes() -> None:
    assert ClassColors().role(70_000) == "class" and ClassColors().role(-1) == "foreign"


@pytest.mark.parametrize("preset", [name for name in presets() if read_preset(name).colors])
def test_the_signal_keeps_away_from_declared_colors(preset: str) -> None:
    colors = ClassColors(spec := read_preset(preset))
    near = differences([*set(spec.colors), colors.of(-1)])[-1]
    assert sorted(near)[1] > (5 if len(spec.colors) > 100 else 8)


def test_a_table_is_the_colors_one_by_one() -> None:
    colors = ClassColors(LabelSpec(3, ignore_index=255))
    assert colors.table([0, 2, 9, 255]).tolist() == [[*colors.of(label)] for label in (0, 2, 9, 255)]
    assert colors.table([]).shape == (0, 3)


def test_names_say_what_is_no_class() -> None:
    colors = ClassColors(LabelSpec(names=["sky", "road"], ignore_index=255))
    assert [colors.name(label) for label in (1, 2, 255)] == ["road", "no class", "ignored"]


def test_they_go_to_other_processes() -> None:
    colors = ClassColors(LabelSpec(2))
    assert pickle.loads(pickle.dumps(colors)) == colors

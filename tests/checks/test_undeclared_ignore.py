"""LG103: void labels that nobody declared."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import foreign_id_space
from labelguard.checks import undeclared_ignore as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, on_dataset, scene


def scenes(classes: int, files: int = 3, **options: object) -> list[Labels]:
    return [scene(range(1, classes), seed=seed, **options) for seed in range(files)]


@pytest.mark.parametrize(("void", "dtype"), [(255, "uint8"), (255, "uint16"), (65535, "uint16"), (-1, "int16"), (-100, "int64")])
def test_thin_borders_are_void_and_are_to_be_declared(void: int, dtype: str) -> None:
    masks = scenes(7, ribbon=void, dtype=dtype)
    finding, = on_dataset(check, masks, LabelSpec(7))
    assert finding.message == f"{void} is a void label that is not declared."
    assert finding.severity is Severity.ERROR
    assert finding.ids == (void,)
    assert finding.pixels == sum(int((labels == void).sum()) for labels in masks)
    assert finding.files == ("000", "001", "002")
    assert f"--ignore-index {void}" in str(finding.fix)


def test_areas_beside_a_complete_set_of_classes_are_of_no_class() -> None:
    finding, = on_dataset(check, scenes(19, band=255), LabelSpec(19))
    assert finding.message == "255 is a void label that is not declared."
    assert finding.severity is Severity.ERROR and "--ignore-index 255" in str(finding.fix) and not finding.fix.safe
    assert not finding.fix.commands
    assert any("times as likely as the next explanation" in line for line in finding.evidence)


def test_thin_borders_are_void_though_the_last_class_is_missing() -> None:
    finding, = on_dataset(check, [scene(range(1, 20), ribbon=255, seed=seed) for seed in range(8)], LabelSpec(21))
    assert "255 is a void label that is not declared" in finding.message


def test_without_a_class_count_it_only_warns() -> None:
    finding, = on_dataset(check, scenes(7, ribbon=255))
    assert finding.severity is Severity.WARNING
    assert any("thin lines" in line for line in finding.evidence)


def test_files_without_the_void_are_not_named() -> None:
    masks = [scene([1, 2], seed=0), scene([1, 2], seed=1, ribbon=255)]
    finding, = on_dataset(check, masks, LabelSpec(3))
    assert finding.files == ("001",)


def test_an_undetermined_id_says_what_would_settle_it() -> None:
    finding, = on_dataset(check, scenes(7, ribbon=255, files=8), LabelSpec(8))
    assert finding.message.startswith("Perhaps 255 is a void label that is not declared, or the ids were shifted by -1")
    assert finding.evidence[-1].startswith("what would settle it: What does 255 cover in 00")
    assert finding.severity is Severity.WARNING and "--ignore-index 255" in str(finding.fix)


@pytest.mark.parametrize(("masks", "spec"), [
    (scenes(7, ribbon=255), LabelSpec(7, 255)),
    (scenes(7, band=255), LabelSpec(7, (254, 255))),
    (scenes(7, band=250), LabelSpec(7, 250)),
    (scenes(7, ribbon=-1, dtype="int8"), LabelSpec(7, -1)),
    (scenes(7, ribbon=255), LabelSpec(256)),
    (scenes(7, ribbon=255), LabelSpec(None, 255)),
    (scenes(7), LabelSpec(7)),
    (scenes(7), LabelSpec()),
    ([scene([128, 255])], LabelSpec(256)),
    ([np.full((4, 4), 7, "uint8")], LabelSpec(3)),    # LG101
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


@pytest.mark.parametrize(("label", "named"), [(65534, False), (65535, True), (300, False)])
def test_only_the_top_of_a_type_is_named_as_void(label: int, named: bool) -> None:
    assert bool(on_dataset(check, scenes(7, ribbon=label, dtype="uint16"), LabelSpec(7))) == named


def test_an_id_after_the_last_class_may_be_void_and_another_one_is_for_others_to_name() -> None:
    """LG101 names any other id; where nothing is declared, nothing else would."""
    def said(void: int, spec: LabelSpec) -> list[str]:
        return [finding.message for finding in on_dataset(check, drawn_set(21, 24, (64, 64), void=void), spec)]
    after, = said(21, LabelSpec(21))
    assert after.startswith("Most likely 21 is a void label that is not declared; it may also be that ")
    assert not said(250, LabelSpec(21))
    assert said(250, LabelSpec()) == ["250 is a void label that is not declared, or a stray id."]


def test_a_stray_id_that_nobody_declared_is_not_to_be_ignored_unseen() -> None:
    masks = [labels.copy() for labels in drawn_set(6, 30, (64, 64), void=None)]
    masks[7][20:30, 20:30] = 17
    finding, = on_dataset(check, masks, LabelSpec())
    assert finding.message == "17 is a void label that is not declared, or a stray id."
    assert str(finding.fix).startswith("If 17 is a void label, declare it: --ignore-index 17. If not, look at one mask")
    assert any("that every id is a class" in line for line in finding.evidence), "nothing is declared"
    assert on_dataset(foreign_id_space, masks, LabelSpec()) == [], "what is void is no code"

"""LG105: ids spread out so that they can be seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard import scan
from labelguard.checks import stretched_ids as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.mending import mended_by_its_command
from tests.checks.recipes import drawn_set, one_among, relabeled
from tests.checks.scenes import Labels, all_findings, errors, mask, mended, on_dataset, only_error, scene

PLAIN = drawn_set(5, void=None)


def spread(masks: list[Labels], classes: int) -> list[Labels]:
    return relabeled(masks, lambda label: round(255 * label / (classes - 1)))


def spread_by_file(masks: list[Labels]) -> list[Labels]:
    return [(labels.astype(np.int64) * 255 // max(1, labels.max())).astype("uint8") for labels in masks]


@pytest.mark.parametrize("classes", [5, 12, 19])
def test_ids_spread_over_the_range_are_brought_back(classes: int, tmp_path: Path) -> None:
    originals = drawn_set(classes, void=None, shape=(160, 96))
    finding = mended_by_its_command(tmp_path, spread(originals, classes), LabelSpec(classes), "LG105", originals)
    assert finding.message == f"The ids were spread evenly over 0-255 to be visible: they reach 255 instead of {classes - 1}."


def test_where_no_classes_are_declared_the_highest_level_may_be_void() -> None:
    finding, = on_dataset(check, spread(PLAIN, 5))
    assert finding.message.startswith("The ids were spread evenly over 0-255") and finding.severity is Severity.WARNING
    assert not finding.fix.commands and "--num-classes" in str(finding.fix)


@pytest.mark.parametrize(("classes", "factor"), [(3, 120), (5, 50), (12, 20), (19, 10), (5, 2), (40, 256)])
def test_ids_times_a_number_are_divided(classes: int, factor: int, tmp_path: Path) -> None:
    originals = drawn_set(classes, void=None, shape=(256, 160))
    damaged = relabeled(originals, lambda label: label * factor, "uint8" if factor * classes < 256 else "uint16")
    finding = mended_by_its_command(tmp_path, damaged, LabelSpec(classes), "LG105", originals)
    assert f"multiplied by {factor} " in finding.message


@pytest.mark.parametrize("classes", [3, 19])
def test_void_stays_void(classes: int, tmp_path: Path) -> None:
    originals = drawn_set(classes, shape=(256, 160))
    damaged = relabeled(originals, lambda label: label if label == 255 else 255 * label // classes)
    mended_by_its_command(tmp_path, damaged, LabelSpec(classes, 255), "LG105", originals)


def test_the_command_reads_as_a_person_would_write_it() -> None:
    finding, = on_dataset(check, spread(PLAIN, 5), LabelSpec(5))
    assert str(finding.fix) == "labelguard remap masks --merge 64:1 --merge 128:2 --merge 191:3 --merge 255:4 --num-classes 5"


def test_a_255_that_is_void_and_the_highest_level_is_not_decided() -> None:
    finding, = on_dataset(check, spread(PLAIN, 5), LabelSpec(5, 255))
    assert str(finding.fix).startswith("255 is void, or class 4") and not finding.fix.commands


def test_files_spread_each_by_itself_are_a_warning_where_nothing_is_declared() -> None:
    finding, = on_dataset(check, spread_by_file(PLAIN))
    assert finding.severity is Severity.WARNING and finding.message.startswith("Each file spreads its own ids over the whole range")


@pytest.mark.parametrize("spec", [LabelSpec(5), LabelSpec(19)])
def test_files_spread_each_by_itself_are_past_mending(spec: LabelSpec) -> None:
    damaged = spread_by_file(PLAIN)
    finding = only_error(damaged, spec)
    assert finding.code == "LG105" and finding.message.startswith("Each file spreads its own ids over the whole range")
    assert str(finding.fix).startswith("No table repairs this")


@pytest.mark.parametrize("classes", [3, 5, 19])
def test_one_file_of_200_is_named_alone(classes: int) -> None:
    healthy = drawn_set(classes, 40, (160, 96), void=None) * 5
    faulty = max(healthy, key=lambda labels: len(np.unique(labels)))
    found = [finding for finding in all_findings(one_among(healthy[:199], spread([faulty], classes)[0]), LabelSpec(classes))
             if finding.severity is Severity.ERROR]
    assert [(finding.code, finding.files) for finding in found] == [("LG105", ("123",))]


def test_three_levels_that_nobody_declared_may_be_meant() -> None:
    finding, = on_dataset(check, [scene([128, 255])] * 4)
    assert finding.severity is Severity.WARNING and not finding.fix.commands
    assert "the ids were spread evenly over 0-255" in finding.message and "ids were chosen with gaps" in finding.message


def test_multiples_that_nobody_declared_may_be_meant() -> None:
    finding, = on_dataset(check, [scene([10, 20, 30, 40])])
    assert finding.severity is Severity.WARNING and not finding.fix.commands
    assert "the ids were multiplied by 10" in finding.message and "ids were chosen in steps of 10" in finding.message


@pytest.mark.parametrize("codes", [(0, 64, 128, 192, 255), (0, 40, 80, 120, 160, 200, 240, 255), (0, 51, 102, 153, 204, 255)])
def test_nearly_regular_codes_are_brought_back(codes: tuple[int, ...], tmp_path: Path) -> None:
    originals = drawn_set(len(codes), void=None)
    mended_by_its_command(tmp_path, relabeled(originals, dict(enumerate(codes))), LabelSpec(len(codes)), "LG105", originals)


def test_steps_of_nearly_one_size_are_named_and_not_moved() -> None:
    masks = relabeled(drawn_set(7, void=None), lambda label: 240 * (label + 1) // 7)
    finding, = on_dataset(check, masks, LabelSpec(7))
    assert finding.message.startswith("The ids were spread in steps of about 34.3") and not finding.fix.commands
    assert not on_dataset(check, relabeled(masks, {137: 140}), LabelSpec(7))  # off by three


def test_a_factor_that_has_no_room_for_the_declared_classes_is_not_undone() -> None:
    masks = relabeled(drawn_set(4, void=None), lambda label: 64 * label)
    assert not any(finding.fix.commands for finding in on_dataset(check, masks, LabelSpec(19)))
    assert on_dataset(check, masks, LabelSpec(4))[0].fix.commands


def test_files_that_may_have_been_spread_each_by_itself_are_not_moved() -> None:
    masks = relabeled([labels for labels in drawn_set(5, 12, void=None) if labels.max() == 4], lambda label: round(label * 255 / 4))
    assert on_dataset(check, masks, LabelSpec(5))[0].fix.commands
    two = relabeled(drawn_set(2, 8, void=None), {1: 255})
    assert not any(finding.fix.commands for finding in on_dataset(check, [*masks, *two], LabelSpec(5)))


def test_classes_that_were_cut_at_255_together_cannot_be_parted() -> None:
    finding, = on_dataset(check, relabeled(drawn_set(9, 40, void=None), lambda label: min(255, 40 * label)), LabelSpec(9))
    assert finding.message.startswith("The ids were multiplied by 40 and cut at 255")
    assert str(finding.fix).startswith("255 is class 7 or 8, which") and not finding.fix.commands


def test_codes_without_regularity_are_another_fault() -> None:
    masks = relabeled(PLAIN, dict(enumerate((0, 61, 130, 190, 251))))
    assert on_dataset(check, masks, LabelSpec(5)) == [] and errors(masks, LabelSpec(5)) == {"LG108"}


def test_real_masks_that_were_spread_file_by_file(real_data: Path) -> None:
    folder = real_data / "grey_levels_per_file"
    for spec in (LabelSpec(), LabelSpec(5), LabelSpec(8, 255)):
        found = [finding for finding in scan(folder, spec=spec, jobs=1).findings if finding.code[:3] == "LG1"]
        assert [finding.code for finding in found] == ["LG105"] and str(found[0].fix).startswith("No table repairs this")


@given(classes=st.integers(3, 60), factor=st.integers(2, 80), seed=st.integers(0, 999))
def test_any_factor_is_found_and_undone(classes: int, factor: int, seed: int) -> None:
    original = scene(range(1, classes), (88, 56), seed=seed, dtype="uint16")
    if factor * (classes - 1) < classes + 1 or (classes < 5 and factor < 8):
        return
    finding, = on_dataset(check, [original * np.uint16(factor)], LabelSpec(classes))
    assert np.array_equal(mended(finding.fix, original * np.uint16(factor)), original)


@pytest.mark.parametrize(("masks", "spec"), [
    ([scene([128, 255])], LabelSpec(256)),                         # a trimap, declared
    ([scene([128, 255])], LabelSpec(2, (128, 255))),
    ([scene(range(1, 12))], LabelSpec()),
    ([scene([0, 2, 4], background=2)] * 3, LabelSpec(4)),          # LG106: one class more
    ([mask("0 255")], LabelSpec()),                                # LG104
    ([mask("0 255")], LabelSpec(3)),
    ([scene([1, 2, 255])], LabelSpec(3)),
    ([scene([1, 2, 130, 255])], LabelSpec(3)),
    ([scene([38, 75])], LabelSpec(76)),
    ([np.arange(256, dtype="uint8").reshape(16, 16)], LabelSpec()),
    (drawn_set(19), LabelSpec(19, 255)),
    (drawn_set(19), LabelSpec()),
    ([], LabelSpec(3)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_254_beside_255_is_a_shift_and_no_factor() -> None:
    masks = [labels - np.uint8(1) for labels in drawn_set(2)]
    assert errors(masks, LabelSpec(2, 255)) == {"LG102"}
    assert errors(relabeled(drawn_set(2, void=None), {1: 254}), LabelSpec(2)) == {"LG104"}


def test_a_negative_of_the_whole_set_is_named_and_turned_back() -> None:
    originals = drawn_set(5, void=None)
    damaged = [255 - labels for labels in originals]
    finding = only_error(damaged, LabelSpec(5))
    assert finding.code == "LG105" and finding.message.startswith("The ids were subtracted from 255: 251 was 4")
    assert all(np.array_equal(mended(finding.fix, now), then) for now, then in zip(damaged, originals, strict=True))

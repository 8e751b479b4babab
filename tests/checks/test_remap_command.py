"""The gate of all commands: what is printed mends the set for certain, and what does not is no command."""

from __future__ import annotations

import numpy as np

from labelguard.checks import binary_255, sentinel_wrap, uint8_wraparound
from labelguard.checks._remap_command import leaves_as_declared, remap_command, remap_fix, table_arguments
from labelguard.finding import PLACEHOLDER
from labelguard.report.json import finding_dict
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, all_findings, dataset, mask, mended, on_dataset, shifted

SPEC = LabelSpec(5)
HEALTHY = drawn_set(5, void=None)
SHIFTED = [shifted(labels, 2) for labels in HEALTHY]
BACK = {254: 0, 255: 1}


def test_a_table_becomes_merges_and_what_stays_is_left_out() -> None:
    assert table_arguments({0: 0, 3: 1, 4: 1, 5: 1, 9: 1, 7: 255}) == ("--merge", "3-5,9:1", "--merge", "7:255")


def test_the_command_that_mends_for_certain_is_printed_and_may_be_run_as_it_is() -> None:
    fix = remap_fix(dataset(SHIFTED, SPEC, root="my masks"), SPEC, BACK, 5, shift=2)
    assert str(fix) == "labelguard remap 'my masks' --shift 2 --merge 254:0 --merge 255:1 --num-classes 5" and fix.safe


def test_a_command_that_does_anything_else_is_not_printed() -> None:
    data = dataset(SHIFTED, SPEC)
    for merges, number, by in (({254: 0, 255: 0}, 5, 2), (BACK, 6, 2), (BACK, 5, 1), ({254: 255, 255: 0}, 5, 1)):
        fix = remap_fix(data, SPEC, merges, number, shift=by)
        assert not fix.commands and "the ids alone do not settle it" in str(fix)


def test_nothing_is_printed_for_a_set_that_needs_no_mend() -> None:
    assert not remap_fix(dataset(HEALTHY, SPEC), SPEC, {0: 1}, 5).commands


def test_what_else_it_may_be_is_said() -> None:
    few = [mask("0 1 1 / 2 3 255")] * 2  # the last class is missing, in two files
    fix = remap_fix(dataset(few, SPEC), SPEC, {255: 0}, 5, shift=1)
    assert not fix.commands and "255 is a void label that is not declared" in str(fix) and "shifted by -1" in str(fix)


def test_where_only_a_part_is_to_be_moved_no_command_moves_the_rest() -> None:
    data = dataset([*HEALTHY, *SHIFTED[:3]], SPEC)
    fix = remap_fix(data, SPEC, BACK, 5, shift=2, part=True)
    assert not fix.commands and not remap_fix(data, SPEC, BACK, 5, shift=2).commands


def test_a_command_for_several_folders_has_to_be_filled_in_first() -> None:
    fix = remap_command(dataset([mask("0 1")], root=PLACEHOLDER), "--shift", "1")
    assert fix.is_command and not fix.safe


def with_one_odd_file(value: int) -> list[Labels]:
    """39 masks of 0 and 255, and one of 0 and another number."""
    masks = [255 * labels for labels in drawn_set(2, 40, void=None)]
    return [*masks[:39], np.where(masks[39] == 255, value, masks[39]).astype(np.uint8)]


def test_one_odd_file_never_turns_a_two_class_set_inside_out() -> None:
    for value in (2, 7, 127, 128, 250, 253, 254):
        masks = with_one_odd_file(value)
        truth = [(labels > 0).astype(np.uint8) for labels in masks]
        for finding in all_findings(masks, LabelSpec(2)):
            for labels, there in zip(masks, truth, strict=True) if finding.fix.commands else ():
                assert (mended(finding.fix, labels) == there).all(), (value, finding)


def test_a_wrapped_background_in_two_classes_is_not_moved_to_the_foreground() -> None:
    inverted = [np.where(labels == 0, 255, 0).astype(np.uint8) for labels in drawn_set(2, 24, void=None)]
    for finding in on_dataset(binary_255, inverted, LabelSpec(2)):
        assert not finding.fix.commands


def test_json_has_the_sentence_and_the_arguments() -> None:
    cut = [np.where(labels == 255, 156, labels).astype(np.uint8) for labels in drawn_set(5)]
    finding, = on_dataset(sentinel_wrap, cut, LabelSpec(5))
    values = finding_dict(finding)
    assert values["fix"] == "labelguard remap masks --merge 156:255 --num-classes 5 --ignore-index 255"
    assert values["commands"] == [values["fix"].split()] and values["safe"] is True


def test_a_shift_where_no_classes_are_declared_is_named() -> None:
    finding, = on_dataset(uint8_wraparound, SHIFTED)
    assert "shifted by -2" in finding.message or "shifted by -2" in str(finding.fix)


def test_a_command_for_a_split_leaves_what_is_declared_or_is_said_in_words() -> None:
    data = dataset([labels + 1 for labels in HEALTHY], SPEC)
    down = {label: label - 1 for label in data.files_with}
    assert leaves_as_declared(data, down, SPEC)
    assert not leaves_as_declared(data, down | {1: 1}, SPEC)          # two ids would be one class
    assert not leaves_as_declared(data, down, LabelSpec(4))           # 4 is no class
    assert leaves_as_declared(data, down | {1: 255}, LabelSpec(5, 255))

"""The commands in the fixes of the checks: when one may be run without a second thought, and when it may not."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import binary_255, sentinel_wrap, uint8_wraparound
from labelguard.checks._remap_command import remap_by_table, remap_fix
from labelguard.finding import PLACEHOLDER
from labelguard.report.json import finding_dict
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset, mask, on_dataset, scene, shifted

DATA = dataset([mask("0 1")], root="my masks")


def test_a_table_becomes_merges_and_what_stays_is_left_out() -> None:
    fix = remap_by_table(DATA, {0: 0, 3: 1, 4: 1, 5: 1, 9: 1, 7: 255}, 2, (255, -1))
    assert fix.commands == (("labelguard", "remap", "my masks", "--merge", "3-5,9:1", "--merge", "7:255", "--num-classes", "2",
                             "--ignore-index", "255"),)
    assert str(fix) == "labelguard remap 'my masks' --merge 3-5,9:1 --merge 7:255 --num-classes 2 --ignore-index 255" and fix.safe


def test_one_file_of_a_folder_is_named_and_several_have_to_be_put_apart() -> None:
    assert remap_fix(DATA, "--shift", "1", files=["a.png"]).commands == (("labelguard", "remap", "my masks/a.png", "--shift", "1"),)
    apart = remap_fix(DATA, "--shift", "1", files=["a.png", "b.png"])
    assert str(apart) == "Put the 2 files into a folder of their own, then: labelguard remap FOLDER --shift 1" and not apart.safe


def test_a_command_for_several_folders_has_to_be_filled_in_first() -> None:
    fix = remap_fix(dataset([mask("0 1")], root=PLACEHOLDER), "--shift", "1")
    assert fix.is_command and not fix.safe


@pytest.mark.parametrize(("spec", "safe"), [(LabelSpec(5), True), (LabelSpec(), False)])
def test_a_shift_is_only_safe_to_undo_where_the_classes_are_declared(spec: LabelSpec, safe: bool) -> None:
    masks = [shifted(scene(range(1, 5), seed=seed), 2) for seed in range(8)]
    finding, = on_dataset(uint8_wraparound, masks, spec)
    assert finding.fix.is_command and finding.fix.safe is safe


@pytest.mark.parametrize(("labels", "safe"), [("0 0 255 255", True), ("0 255 255 255", False)])
def test_a_foreground_of_more_than_half_is_looked_at_before_it_is_moved(labels: str, safe: bool) -> None:
    finding, = on_dataset(binary_255, [mask(labels)])
    assert finding.fix.is_command and finding.fix.safe is safe


def test_json_has_the_sentence_and_the_arguments() -> None:
    finding, = on_dataset(sentinel_wrap, [np.where(scene(range(5)) == 4, 156, scene(range(5))).astype(np.uint8)], LabelSpec(5))
    values = finding_dict(finding)
    assert values["fix"] == "labelguard remap masks --merge 156:255 --num-classes 5 --ignore-index 255"
    assert values["commands"] == [values["fix"].split()] and values["safe"] is True

"""LG104: foreground stored as 255."""

from __future__ import annotations

import pytest

from labelguard.checks import binary_255 as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, dataset, mask, mended, on_dataset

EMPTY, ONE, TOP = mask("0 0 / 0 0"), mask("0 1 / 1 1"), mask("0 255 / 255 255")


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(1), LabelSpec(2)])
@pytest.mark.parametrize("masks", [[TOP], [TOP, EMPTY], [mask("255 255")], [TOP, ONE, EMPTY]])
def test_it_flags_0_and_255(masks: list[Labels], spec: LabelSpec) -> None:
    finding, = on_dataset(check, masks, spec)
    assert finding.message == "The foreground is stored as 255 instead of 1."
    assert (finding.ids, finding.explains) == ((255,), (1,))
    assert str(finding.fix) == "labelguard remap masks --merge 255:1 --num-classes 2"
    assert mended(finding.fix, masks[0]).max() == 1


def test_the_files_that_hold_it_are_named_and_counted() -> None:
    finding, = on_dataset(check, [EMPTY, TOP, ONE, TOP], LabelSpec(2))
    assert finding.files == ("001", "003")
    assert finding.pixels == 6
    assert finding.evidence == ("255 covers 38 % of all pixels, in 2 of 4 files", "other files store the foreground as 1")


def test_a_set_without_a_1_says_so() -> None:
    finding, = on_dataset(check, [TOP], LabelSpec(2))
    assert "no other id is seen" in finding.evidence


def test_in_16_bits_the_foreground_is_65535() -> None:
    finding, = on_dataset(check, [mask("0 65535", "uint16")], LabelSpec(2))
    assert finding.ids == (65535,)


def test_a_folder_with_a_space_is_quoted() -> None:
    finding, = check.rule.dataset_check(dataset([TOP], root="my masks"), LabelSpec(2))
    assert "remap 'my masks' --merge" in str(finding.fix)


@pytest.mark.parametrize(("masks", "spec"), [
    ([TOP], LabelSpec(2, 255)),                           # declared void: LG205
    ([TOP], LabelSpec(3)),                                # a crop of a set with more classes
    ([TOP], LabelSpec(256)),
    ([mask("0 1 255")], LabelSpec(2)),                    # both in one file: 255 is something else
    ([mask("0 1 255"), TOP], LabelSpec()),
    ([mask("0 128 255")], LabelSpec()),
    ([mask("0 2 255"), TOP], LabelSpec()),
    ([ONE, EMPTY], LabelSpec(2)),
    ([mask("0 1", "bool")], LabelSpec(2)),
    ([], LabelSpec(2)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []

"""LG104: foreground stored as 255."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import binary_255 as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, mask, mended, on_dataset

EMPTY, ONE, TOP = mask("0 0 / 0 0"), mask("0 1 / 1 1"), mask("0 255 / 255 255")


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(1), LabelSpec(2)])
@pytest.mark.parametrize("masks", [[TOP], [TOP, EMPTY], [mask("255 255")], [TOP, ONE, EMPTY]])
def test_it_flags_0_and_255(masks: list[Labels], spec: LabelSpec) -> None:
    finding, = on_dataset(check, masks, spec)
    assert finding.message == "The foreground is stored as 255 instead of 1."
    assert (finding.ids, finding.explains) == ((255,), (1,))


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


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(2)])
def test_objects_on_a_background_that_fills_the_frame_are_moved_by_a_command(spec: LabelSpec) -> None:
    originals = drawn_set(2, void=None)
    finding, = on_dataset(check, [255 * labels for labels in originals], spec)
    assert str(finding.fix) == "labelguard remap masks --merge 255:1 --num-classes 2"
    assert all(np.array_equal(mended(finding.fix, 255 * labels), labels) for labels in originals)


def test_a_background_of_255_around_objects_of_0_is_moved_by_none() -> None:
    finding, = on_dataset(check, [255 * (1 - labels) for labels in drawn_set(2, void=None)], LabelSpec(2))
    assert not finding.fix.commands


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

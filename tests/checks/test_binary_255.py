"""LG104: foreground stored as 255."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import binary_255 as check
from labelguard.checks import foreign_id_space, uint8_wraparound
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, mask, mended, on_dataset

EMPTY, ONE, TOP = mask("0 0 / 0 0"), mask("0 1 / 1 1"), mask("0 255 / 255 255")
ONES = drawn_set(2, void=None)
TOPS = [255 * labels for labels in ONES]


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(2)])
@pytest.mark.parametrize("masks", [TOPS, [*TOPS, EMPTY], [*TOPS, *ONES, EMPTY]])
def test_it_flags_0_and_255(masks: list[Labels], spec: LabelSpec) -> None:
    finding, = on_dataset(check, masks, spec)
    assert finding.message == "The foreground is stored as 255 instead of 1."
    assert (finding.ids, finding.explains) == ((255,), (1,))


def test_the_files_that_hold_it_are_named_and_counted() -> None:
    finding, = on_dataset(check, [ONES[0], *TOPS, ONES[1]], LabelSpec(2))
    assert len(finding.files) == 24 and not {"000", "025"} & set(finding.files)
    assert finding.pixels == sum(int((labels == 255).sum()) for labels in TOPS)
    assert finding.evidence[0].endswith("in 24 of 26 files") and finding.evidence[1] == "other files store the foreground as 1"


def test_a_set_without_a_1_says_so() -> None:
    finding, = on_dataset(check, TOPS, LabelSpec(2))
    assert "no other id is seen" in finding.evidence


def test_in_16_bits_the_foreground_is_65535() -> None:
    finding, = on_dataset(check, [labels.astype("uint16") * 257 for labels in TOPS], LabelSpec(2))
    assert finding.ids == (65535,)


def test_a_set_of_which_nobody_says_that_it_has_two_classes_is_asked_about() -> None:
    finding, = on_dataset(check, TOPS, LabelSpec())
    assert finding.severity is Severity.WARNING and "--num-classes 2" in str(finding.fix) and not finding.fix.commands


def test_objects_on_a_background_that_fills_the_frame_are_moved_by_a_command() -> None:
    originals = drawn_set(2, void=None)
    finding, = on_dataset(check, [255 * labels for labels in originals], LabelSpec(2))
    assert str(finding.fix) == "labelguard remap masks --merge 255:1 --num-classes 2"
    assert all(np.array_equal(mended(finding.fix, 255 * labels), labels) for labels in originals)


def test_one_number_besides_0_may_be_the_code_of_any_of_several_classes() -> None:
    masks = [128 * labels for labels in ONES[:4]]
    assert on_dataset(check, masks, LabelSpec(2)) and not on_dataset(check, masks, LabelSpec(8))
    note, = on_dataset(foreign_id_space, masks, LabelSpec(8))
    assert note.message.startswith("Perhaps 128 is the code of one of the 8 classes, or the foreground is stored as 128 instead of 1")
    assert note.severity is Severity.NOTE


def test_where_more_than_two_classes_are_declared_it_is_named_beside_a_wrapped_background_and_nothing_is_moved() -> None:
    """Binary masks under the number of classes of other masks: no id tells them from -1 over two classes of several."""
    finding, = on_dataset(uint8_wraparound, TOPS, LabelSpec(6))
    assert finding.message.startswith("Perhaps the ids were shifted by -1, or the foreground is stored as 255 instead of 1")
    assert not finding.fix.commands


def test_where_nothing_is_declared_no_command_makes_two_classes_of_what_may_be_an_object_that_fills_its_files() -> None:
    full = np.full((64, 64), 255, np.uint8)
    full[20:24, 20:24] = 0
    undeclared, = on_dataset(uint8_wraparound, [full] * 12, LabelSpec())
    assert undeclared.message.startswith("The ids were shifted by -1") and not undeclared.fix.commands


def test_a_background_of_255_around_objects_of_0_is_moved_by_none() -> None:
    assert on_dataset(check, [255 - labels for labels in TOPS], LabelSpec(2)) == []


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

"""LG106: ids that reach exactly the number of classes."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import off_by_one as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, mask, mended, on_dataset, scene


def test_labels_that_start_at_1_are_shifted_down() -> None:
    originals = [scene(range(1, 5), ribbon=255, seed=seed) for seed in range(6)]
    several = [np.where(labels == 255, 255, labels + 1).astype("uint8") for labels in originals]
    original, damaged = originals[0], several[0]
    finding, = on_dataset(check, several, LabelSpec(5, 255))
    assert finding.message == "The labels start at 1: the ids run from 1 to 5 instead of 0 to 4."
    assert (finding.ids, finding.explains) == ((5,), (0,))
    assert finding.pixels == sum(int((labels == 5).sum()) for labels in several)
    assert str(finding.fix) == "labelguard remap masks --shift -1 --num-classes 5 --ignore-index 255"
    assert np.array_equal(mended(finding.fix, damaged), original)


def test_a_background_that_was_not_counted_makes_one_class_more() -> None:
    finding, = on_dataset(check, [mask("0 1 2 3"), mask("0 1 1 2")], LabelSpec(3))
    assert finding.message == "There are 4 classes, not 3: the ids run from 0 to 3."
    assert "--num-classes 4" in str(finding.fix) and "remap" not in str(finding.fix)
    assert finding.files == ("000",)


def test_one_declared_class_and_ids_0_and_1() -> None:
    finding, = on_dataset(check, [mask("0 1")], LabelSpec(1))
    assert finding.message == "There are 2 classes, not 1: the ids run from 0 to 1."


def test_few_files_that_could_be_either_are_not_decided() -> None:
    finding, = on_dataset(check, [mask("2 5 5"), mask("1 2 2")], LabelSpec(5))
    assert finding.message == "The ids reach 5: the labels start at 1, or there are 6 classes."
    assert str(finding.fix).startswith("Look at the list of classes: if they start at 1") and not finding.fix.commands
    assert str(finding.fix).endswith("If not, declare --num-classes 6.")


def test_many_files_without_a_0_decide() -> None:
    finding, = on_dataset(check, [mask("2 5 5")] * 20, LabelSpec(5))
    assert finding.message.startswith("The labels start at 1")


def test_an_undeclared_void_goes_into_the_command() -> None:
    damaged = scene(range(2, 6), background=1, ribbon=255)
    finding, = on_dataset(check, [damaged], LabelSpec(5))
    assert str(finding.fix) == "labelguard remap masks --shift -1 --num-classes 5 --ignore-index 255"


@pytest.mark.parametrize("classes", [2, 19, 150])
def test_one_file_of_many_is_enough(classes: int) -> None:
    healthy = scene(range(1, classes), (112, 104))
    finding, = on_dataset(check, [healthy] * 199 + [scene([classes])], LabelSpec(classes))
    assert finding.files == ("199",)
    assert finding.message.startswith(f"There are {classes + 1} classes, not {classes}")


@pytest.mark.parametrize(("masks", "spec"), [
    ([mask("0 1 2")], LabelSpec(3)),
    ([mask("1 2 2")], LabelSpec(3)),              # a class that is merely absent
    ([mask("0 1 4")], LabelSpec(3)),              # further than by one
    ([mask("1 2 3 4")], LabelSpec(3)),
    ([mask("0 1 3")], LabelSpec(3, 3)),           # ignored on purpose
    ([mask("0 1 255")], LabelSpec(255, 255)),
    ([mask("-1 0 1", "int8")], LabelSpec(2)),
    ([mask("0 255")], LabelSpec(2)),
    ([], LabelSpec(3)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_it_cannot_be_judged_without_a_class_count() -> None:
    assert check.rule.needs_classes


@pytest.mark.parametrize(("files", "words"), [(19, "The ids reach 5"), (20, "The labels start at 1")])
def test_twenty_files_without_a_0_decide(files: int, words: str) -> None:
    finding, = on_dataset(check, [mask("2 5 5")] * files, LabelSpec(5))
    assert finding.message.startswith(words)

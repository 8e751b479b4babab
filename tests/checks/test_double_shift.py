"""LG109: zero reduced once too often."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import double_shift as check
from labelguard.finding import Severity
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, all_findings, errors, on_dataset, scene


def reduced(masks: list[Labels], by: int) -> list[Labels]:
    """What reduce_zero_label leaves when it is applied so many times."""
    return relabeled(masks, lambda label: 255 if label == 255 or label < by else label - by)


@pytest.mark.parametrize("classes", [5, 19, 150])
def test_twice_is_a_warning_that_says_what_else_it_may_be(classes: int) -> None:
    masks = reduced(drawn_set(classes, 24 if classes == 5 else 60), 2)
    finding, = on_dataset(check, masks, LabelSpec(classes, 255))
    assert finding.message.startswith(("Perhaps zero was reduced twice", "Most likely zero was reduced twice"))
    assert "as declared" in finding.message
    assert finding.severity is Severity.WARNING and any(f"{classes - 2} and {classes - 1}" in line for line in finding.evidence)
    assert str(finding.fix).startswith("Go back to the source") and not finding.fix.commands
    assert not any(code.startswith("LG1") for code in errors(masks, LabelSpec(classes, 255)))


def test_once_without_need_is_told_apart_from_nothing_else() -> None:
    masks = relabeled(drawn_set(5, 60, void=None), lambda label: 255 if label == 0 else label - 1)
    said = [finding for finding in all_findings(masks, LabelSpec(5, 255)) if finding.code in ("LG102", "LG109")]
    assert [finding.severity for finding in said] == [Severity.WARNING]
    assert "shifted by -1" in said[0].message and "zero was reduced without need" in said[0].message
    assert not said[0].fix.commands


@pytest.mark.parametrize(("classes", "files", "severity"), [
    (5, 48, Severity.WARNING), (12, 40, Severity.WARNING), (60, 60, Severity.WARNING), (19, 50, Severity.ERROR)])
def test_a_background_in_the_void_label_is_told_from_void(classes: int, files: int, severity: Severity) -> None:
    """label - 1 in 8 bits where 255 is ignored: every id stays legal, and the background is gone from the loss."""
    masks = [(labels.astype(int) - 1).astype("uint8") for labels in drawn_set(classes, files, void=None)]
    finding, = on_dataset(check, masks, LabelSpec(classes, 255))
    assert finding.severity is severity and "255 holds" in finding.message
    ribbons = drawn_set(classes - 1, files)
    assert not on_dataset(check, ribbons, LabelSpec(classes, 255))  # the last class is as absent, but void is void


def test_a_table_that_was_applied_to_what_it_had_made_is_told() -> None:
    table = next(space.to["cityscapes-train"] for space in spaces() if "cityscapes-train" in space.to)

    def again(label: int) -> int:
        there = table.get(label)
        return 255 if there is None else there
    masks = relabeled([np.clip(labels, 0, 18).astype("uint8") for labels in drawn_set(19, 60, void=None)], again)
    finding, = on_dataset(check, masks, LabelSpec(19, 255))
    assert "was applied twice" in finding.message and finding.severity is Severity.WARNING


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(5), LabelSpec(5, 255)),
    (reduced(drawn_set(5), 1), LabelSpec(4, 255)),                                # reduced on purpose, and declared so
    (relabeled(drawn_set(5), {0: 255}), LabelSpec(5, 255)),                      # background ignored on purpose
    (drawn_set(17), LabelSpec(19, 255)),                                          # the last two classes are just absent
    ([scene(range(1, 18), band=255, seed=seed) for seed in range(30)], LabelSpec(19, 255)),
    (reduced(drawn_set(6), 3), LabelSpec(6, 255)),
    (drawn_set(2, void=None), LabelSpec(2)),
    (drawn_set(2), LabelSpec(4, 255)),
    ([], LabelSpec(5, 255)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_it_cannot_be_judged_without_a_class_count() -> None:
    assert check.rule.needs_classes

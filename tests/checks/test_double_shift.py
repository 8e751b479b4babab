"""LG109: zero reduced once too often."""

from __future__ import annotations

import pytest

from labelguard.checks import double_shift as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, errors, mask, on_dataset, scene


def reduced(masks: list[Labels], by: int) -> list[Labels]:
    """What reduce_zero_label leaves when it is applied so many times."""
    return relabeled(masks, lambda label: 255 if label == 255 or label < by else label - by)


@pytest.mark.parametrize("shape", [(96, 160), (160, 96)])
@pytest.mark.parametrize("spec", [LabelSpec(5, 255), LabelSpec(5)])
def test_twice_is_an_error_and_the_only_one(shape: tuple[int, int], spec: LabelSpec) -> None:
    masks = reduced(drawn_set(5, shape=shape), 2)
    finding, = on_dataset(check, masks, spec)
    assert finding.message == "The ids were moved down by one twice: 255 holds the former 0 and 1."
    assert "the last two classes, 3 and 4, are never seen in 24 files, though all others are common" in finding.evidence
    assert str(finding.fix).startswith("Go back to the source") and "labelguard remap" not in str(finding.fix)
    assert errors(masks, spec) == {"LG109"}


@pytest.mark.parametrize("classes", [5, 19, 150])
def test_twice_is_named_with_more_classes_too(classes: int) -> None:
    masks = reduced(drawn_set(classes, 60, (256, 160)), 2)
    assert [finding.message[:30] for finding in on_dataset(check, masks, LabelSpec(classes, 255))] == ["The ids were moved down by one"]


def test_where_classes_are_rare_it_only_warns() -> None:
    masks = reduced(drawn_set(5, 10), 2)
    finding, = on_dataset(check, masks, LabelSpec(5, 255))
    assert finding.severity is Severity.WARNING


def test_once_without_need_is_a_warning_that_names_both_ways() -> None:
    finding, = on_dataset(check, reduced(drawn_set(5, void=None), 1), LabelSpec(5, 255))
    assert finding.severity is Severity.WARNING and not finding.fix.commands
    assert "do not reduce zero" in str(finding.fix) and "declare 4 classes" in str(finding.fix)


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(5), LabelSpec(5, 255)),
    (reduced(drawn_set(5), 1), LabelSpec(4, 255)),                                # reduced on purpose, and declared so
    (relabeled(drawn_set(5), {0: 255}), LabelSpec(5, 255)),                      # background ignored on purpose
    (drawn_set(17), LabelSpec(19, 255)),                                          # the last two classes are just absent
    ([scene(range(1, 18), band=255, seed=seed) for seed in range(30)], LabelSpec(19, 255)),
    (reduced(drawn_set(6), 3), LabelSpec(6, 255)),
    (reduced(drawn_set(5), 2)[:3], LabelSpec(5, 255)),
    (drawn_set(2, void=None), LabelSpec(2)),
    (drawn_set(2), LabelSpec(4, 255)),
    ([], LabelSpec(5, 255)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_it_cannot_be_judged_without_a_class_count() -> None:
    assert check.rule.needs_classes


REDUCED = mask("255 255 255 0 1")


@pytest.mark.parametrize(("files", "severities"), [
    (4, []), (5, [Severity.WARNING]), (19, [Severity.WARNING]), (20, [Severity.ERROR])])
def test_five_files_for_a_warning_and_twenty_for_an_error(files: int, severities: list[Severity]) -> None:
    assert [finding.severity for finding in on_dataset(check, [REDUCED] * files, LabelSpec(4, 255))] == severities


@pytest.mark.parametrize(("holding", "severity"), [(4, Severity.WARNING), (5, Severity.ERROR)])
def test_a_class_in_five_files_is_common(holding: int, severity: Severity) -> None:
    masks = [REDUCED] * holding + [mask("255 255 255 0 0")] * (20 - holding)
    finding, = on_dataset(check, masks, LabelSpec(4, 255))
    assert finding.severity is severity


@pytest.mark.parametrize(("holding", "severity"), [(19, Severity.WARNING), (20, Severity.ERROR)])
def test_a_common_class_is_in_one_file_of_twenty(holding: int, severity: Severity) -> None:
    masks = [REDUCED] * holding + [mask("255 255 255 0 0")] * (400 - holding)
    finding, = on_dataset(check, masks, LabelSpec(4, 255))
    assert finding.severity is severity


@pytest.mark.parametrize(("without_void", "found"), [(2, 1), (3, 0)])
def test_nine_files_of_ten_hold_void(without_void: int, found: int) -> None:
    masks = [REDUCED] * (20 - without_void) + [mask("0 1")] * without_void
    assert len(on_dataset(check, masks, LabelSpec(4, 255))) == found


@pytest.mark.parametrize(("text", "found"), [("255 255 255 0 0 0 1", 1), ("255 255 255 0 0 0 0 1", 0)])
def test_void_covers_no_less_than_any_class(text: str, found: int) -> None:
    assert len(on_dataset(check, [mask(text)] * 20, LabelSpec(4, 255))) == found


@pytest.mark.parametrize(("text", "classes", "found"), [("255 255 0", 3, 0), ("255 255 0 1", 4, 1), ("255 255 0 1", 5, 0)])
def test_two_classes_are_left_and_two_are_missing(text: str, classes: int, found: int) -> None:
    assert len(on_dataset(check, [mask(text)] * 20, LabelSpec(classes, 255))) == found

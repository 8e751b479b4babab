"""LG106: ids that reach the number of classes."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import _weighed
from labelguard.checks import off_by_one as check
from labelguard.explanations.decide import Verdict
from labelguard.explanations.sightings import Sightings
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, dataset, mask, mended, on_dataset, scene
from tests.explanations.made import account, told_as, whole


def from_1(masks: list[Labels]) -> list[Labels]:
    return relabeled(masks, lambda label: 255 if label == 255 else label + 1)


def test_labels_that_start_at_1_are_shifted_down() -> None:
    originals = drawn_set(5)
    damaged = from_1(originals)
    finding, = on_dataset(check, damaged, LabelSpec(5, 255))
    assert finding.message == "The labels start at 1: the ids run from 1 to 5 instead of 0 to 4."
    assert (finding.ids, finding.explains) == ((5,), (0,))
    assert finding.pixels == sum(int((labels == 5).sum()) for labels in damaged)
    assert str(finding.fix) == "labelguard remap masks --shift -1 --num-classes 5 --ignore-index 255"
    assert all(np.array_equal(mended(finding.fix, now), then) for now, then in zip(damaged, originals, strict=True))


@pytest.mark.parametrize(("last", "claimed"), [(4, True), (3, False)])
def test_a_last_class_that_is_not_seen_is_not_claimed(last: int, claimed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = LabelSpec(4)
    data = dataset([mask(f"1 2 {last}")] * 9, spec)
    told = told_as(whole(Sightings.of(data)), {1: 0, 2: 1, last: last - 1}, 4, "up", amount=1)
    monkeypatch.setattr(_weighed, "verdict_on", lambda *_: Verdict((account([told]),), (1.0,), "certain", False))
    finding, = on_dataset(check, data, spec)
    assert finding.message == ("The labels start at 1: the ids run from 1 to 4 instead of 0 to 3." if claimed else
                               "The labels start at 1 instead of 0: the highest that is seen is 3.")


def test_a_0_that_is_there_leaves_open_whether_it_is_a_class() -> None:
    masks = drawn_set(6, void=None)
    finding, = on_dataset(check, masks, LabelSpec(5))
    assert "there are 6 classes" in finding.message and finding.severity is Severity.WARNING and not finding.fix.commands
    assert "--num-classes 6" in str(finding.fix) and finding.ids == (5,)
    assert finding.files == tuple(f"{number:03}" for number, labels in enumerate(masks) if 5 in labels)


@pytest.mark.parametrize(("classes", "found"), [(3, 1), (2, 0)])
def test_files_of_the_id_after_the_last_and_nothing_else_were_moved_in_place_or_not_labeled(classes: int, found: int) -> None:
    """Of two classes, one that was moved up is any object."""
    masks = drawn_set(classes, 40, void=None)
    damaged = [np.full_like(labels, classes) if place % 4 == 0 else labels for place, labels in enumerate(masks)]
    findings = [each for each in on_dataset(check, damaged, LabelSpec(classes)) if "fills whole files" in each.message]
    assert len(findings) == found
    for finding in findings:
        assert finding.severity is Severity.WARNING and len(finding.files) == 10 and not finding.fix.commands
        assert "--ignore-index 3" in str(finding.fix)


def test_one_declared_class_and_ids_0_and_1() -> None:
    finding, = on_dataset(check, [mask("0 1")], LabelSpec(1))
    assert "here are 2 classes" in finding.message


def test_few_files_that_could_be_either_are_not_decided() -> None:
    finding, = on_dataset(check, [mask("2 5 5"), mask("1 2 2")], LabelSpec(5))
    assert finding.message.startswith("Most likely the labels start at 1; it may also be") and finding.severity is Severity.WARNING
    assert str(finding.fix).startswith("Look at the list of classes: if it starts at 1") and not finding.fix.commands
    assert str(finding.fix).endswith("if it starts at 0 and has 6 classes, declare --num-classes 6.")


def test_what_may_be_void_is_among_the_choices() -> None:
    finding, = on_dataset(check, drawn_set(6, void=None), LabelSpec(5))
    assert "if 5 marks what is to be ignored, declare --ignore-index 5" in str(finding.fix)


@pytest.mark.parametrize(("spec", "ids", "files"), [(LabelSpec(9, 255), (1, 2, 3, 4, 5, 9), 1),
                                                  (LabelSpec(33), (1, 3, 4, 7, 11, 20, 26, 33), 3)])
def test_few_files_without_class_0_may_hold_a_class_more_or_void_after_the_last(spec: LabelSpec, ids: tuple[int, ...], files: int) -> None:
    """That it is rarer is no proof, and files in which many classes are absent may well lack class 0."""
    masks = [np.repeat(np.array(ids, np.uint8), 5 + number)[np.newaxis].repeat(32, 0) for number in range(files)]
    finding, = on_dataset(check, masks, spec)
    assert finding.severity is Severity.WARNING and f"there are {spec.num_classes + 1} classes" in finding.message
    assert not finding.fix.safe


def test_a_background_that_is_in_every_file_is_not_void_where_nobody_declared_any() -> None:
    """A list that is one class short, in which all classes but the background come and go."""
    random = np.random.default_rng(5)
    masks = []
    for _ in range(60):
        labels = np.zeros((40, 48), np.uint8)
        labels[20:] = 1
        for label in range(2, 30):
            if random.random() < 0.2:
                row, column = random.integers(5, 34), random.integers(0, 40)
                labels[row:row + 5, column:column + 6] = label
        masks.append(labels)
    finding, = on_dataset(check, masks, LabelSpec(29))
    assert finding.severity is Severity.WARNING and not finding.fix.safe


def test_a_void_label_goes_into_the_command() -> None:
    damaged = from_1(drawn_set(5, 40))
    finding, = on_dataset(check, damaged, LabelSpec(5))
    assert "255 is a void label" in str(finding.fix) or "--ignore-index 255" in str(finding.fix)


@pytest.mark.parametrize(("masks", "spec"), [
    ([mask("0 1 2")], LabelSpec(3)),
    ([mask("1 2 2")], LabelSpec(3)),              # a class that is merely absent
    ([mask("0 1 4")], LabelSpec(3)),              # further than by one
    ([mask("1 2 3 4")], LabelSpec(3)),
    ([mask("0 1 3")], LabelSpec(3, 3)),           # ignored on purpose
    ([mask("0 1 255")], LabelSpec(255, 255)),
    ([mask("-1 0 1", "int8")], LabelSpec(2)),
    ([mask("0 255")], LabelSpec(2)),
    ([scene(range(1, 5), ribbon=250)] * 4, LabelSpec(5)),
    ([], LabelSpec(3)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


@pytest.mark.parametrize(("ids", "severity"), [((0, 1, 2, 3, 4), Severity.ERROR), ((0, 1, 2, 3, 4, 6), Severity.WARNING)])
def test_more_classes_of_which_some_are_in_no_file_may_be_something_else(ids: tuple[int, ...], severity: Severity) -> None:
    finding, = on_dataset(check, [scene(ids)] * 20, LabelSpec(3))
    assert finding.severity is severity and finding.message.startswith("Perhaps ") is (severity is Severity.WARNING)


@pytest.mark.parametrize("void", [None, 255])
def test_without_a_class_count_ids_from_1_on_ask_for_it(void: int | None) -> None:
    finding, = on_dataset(check, from_1(drawn_set(4, 60, void=void)), LabelSpec())
    assert finding.severity is Severity.WARNING and "start at 1" in finding.message and finding.ids == (1, 2, 3, 4)
    assert "--num-classes 4" in str(finding.fix) and "--num-classes 5" in str(finding.fix) and not finding.fix.commands
    assert on_dataset(check, drawn_set(4), LabelSpec()) == []


def test_some_files_that_start_at_1_are_named_though_nothing_is_declared() -> None:
    masks = [labels + number % 2 for number, labels in enumerate(drawn_set(5, 30, void=None))]
    finding, = on_dataset(check, masks, LabelSpec())
    assert finding.message == "The labels start at 1: the ids run from 1 to 5 instead of 0 to 4."
    assert finding.severity is Severity.WARNING and len(finding.files) == 15 and not finding.fix.commands

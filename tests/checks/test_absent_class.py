"""LG204: classes without a pixel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labelguard.checks import absent_class as check
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, mask, on_dataset


def test_it_names_the_classes_that_are_missing() -> None:
    finding, = on_dataset(check, [mask("0 1 / 1 0"), mask("0 3 / 3 3")], LabelSpec(names=("sky", "road", "car", "tree", "sign")))
    assert finding.message == "2 classes are never seen in 2 files: 2 (car) and 4 (sign)."
    assert (finding.ids, finding.pixels) == ((2, 4), 0)
    assert finding.evidence == ("seen: 3 of 5 classes",)


def test_one_class_in_one_file_reads_well() -> None:
    finding, = on_dataset(check, [mask("0 2")], LabelSpec(3))
    assert finding.message == "1 class is never seen in 1 file: 1."


def without(label: int, masks: list[Labels]) -> list[Labels]:
    """0 in its place; in that of 0 the other classes, side by side."""
    return [np.where(labels == label, 0 if label else 1 + np.indices(labels.shape)[1] // 10 % 4, labels) for labels in masks]


@pytest.mark.parametrize(("label", "files", "severity"), [
    (3, 120, Severity.WARNING), (3, 12, Severity.NOTE),  # few files may lack a class by chance
    (0, 120, Severity.NOTE),                             # where everything is labeled, nothing is background
])
def test_an_absence_is_a_warning_where_chance_hardly_leaves_a_class_out(label: int, files: int, severity: Severity) -> None:
    finding, = on_dataset(check, without(label, drawn_set(5, files)), LabelSpec(5, 255))
    assert finding.severity is severity and any("chance" in line for line in finding.evidence) is (severity is Severity.WARNING)


@pytest.mark.parametrize(("bits", "severity"), [(check._STRIKING, Severity.NOTE), (check._STRIKING + 0.01, Severity.WARNING)])
def test_so_many_bits_are_striking(bits: float, severity: Severity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "surprise", lambda *_: bits)
    kinds = [mask(text) for text in ("0", "2", "0 2")]
    finding, = on_dataset(check, kinds, LabelSpec(4))
    assert finding.severity is severity
    frames, = on_dataset(check, kinds[:-1] * 9, LabelSpec(4))  # of a video, which show one scene
    assert frames.severity is Severity.NOTE


def test_it_is_a_warning_where_zero_may_have_been_reduced() -> None:
    finding, = on_dataset(check, relabeled(drawn_set(5, void=None), lambda label: label - 1 if label else 255), LabelSpec(5, 255))
    assert finding.severity is Severity.WARNING and any("shifted by -1" in line for line in finding.evidence)
    assert finding.evidence[-1].startswith("what would settle it: What does 255 cover in ")


@pytest.mark.parametrize(("odds", "severity"), [(0.249, Severity.NOTE), (0.251, Severity.WARNING)])
def test_it_is_a_warning_from_odds_that_healthy_sets_do_not_reach(monkeypatch: pytest.MonkeyPatch, odds: float, severity: Severity) -> None:
    def stated(data: DatasetFacts, spec: LabelSpec) -> Verdict | None:
        verdict = verdict_on(data, spec)
        assert verdict is not None
        accounts = sorted(verdict.accounts, key=lambda account: account.is_as_declared)[-1], verdict.accounts[0]
        return replace(verdict, accounts=accounts, odds=(1 - odds, odds))
    monkeypatch.setattr(check, "verdict_on", stated)
    finding, = on_dataset(check, relabeled(drawn_set(3, 3, void=None), lambda label: label - 1 if label else 255), LabelSpec(3, 255))
    assert finding.severity is severity
    assert ("what would settle it: " in finding.evidence[-1]) is (severity is Severity.WARNING)


def test_ids_that_may_have_been_cut_are_named_beside_the_absence() -> None:
    finding, = on_dataset(check, [np.minimum(labels, 3) for labels in drawn_set(5, 80, void=None)], LabelSpec(5))
    assert any("cut to 3" in line for line in finding.evidence)


def test_ids_of_lossy_files_are_no_proof_that_a_class_is_there() -> None:
    data = DatasetBuilder()
    data.add("a.png", MaskFacts.of_labels(mask("0 1")))
    data.add("b.jpg", MaskFacts.of_labels(mask("0 2"), Storage("jpeg", lossy=True)))
    finding, = on_dataset(check, data.build(), LabelSpec(3))
    assert (finding.ids, finding.files) == ((2,), ("a.png",))


@pytest.mark.parametrize(("masks", "spec"), [
    ([mask("0 1"), mask("2 2")], LabelSpec(3)),
    ([mask("0 1"), mask("3 3")], LabelSpec(4, 2)),       # an ignored id is not a class
    ([mask("1 2")], LabelSpec(3, 0)),
    ([mask("0 7")], LabelSpec(1)),
    ([], LabelSpec(3)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def test_it_cannot_be_judged_without_a_class_count() -> None:
    assert check.rule.needs_classes

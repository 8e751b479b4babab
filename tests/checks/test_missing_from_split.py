"""LG206: a class in one split and not in another."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.checks import missing_from_split as check
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.odds import chance_of_none
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, mask
from tests.checks.splitting import between

BOTH, ONE = mask("0 1 / 2 2"), mask("0 1 / 1 1")
SPEC = LabelSpec(names=("sky", "road", "car"))


def test_it_names_split_class_counts_and_where_examples_are() -> None:
    finding, = between(check, {"train": [BOTH] * 20, "val": [ONE] * 10, "test": [BOTH, ONE]}, SPEC)
    assert finding.message == "1 class has no pixel in val (10 files), but it is in train and test: 2 (car)."
    assert (finding.severity, finding.ids, finding.split, finding.path) == (Severity.WARNING, (2,), "val", None)
    assert finding.evidence[0].startswith("2 (car): 40 pixels in 20 of 20 files of train and 2 pixels in 1 of 2 files of test; the chance")
    assert finding.files.first[0] == "test/000" and len(finding.files) == 21


def test_a_rare_class_missing_from_few_files_is_a_note_that_says_so() -> None:
    finding, = between(check, {"train": [BOTH] * 3 + [ONE] * 97, "val": [ONE] * 3}, SPEC)
    assert finding.severity is Severity.NOTE and "this is to be expected" in finding.message
    assert "3 files drawn at random hold none is 91 %" in finding.evidence[0]


def test_what_training_lacks_is_never_learned_however_rare_it_is() -> None:
    finding, = between(check, {"training": [ONE] * 50, "val": [ONE] * 9 + [BOTH]}, SPEC)
    assert (finding.severity, finding.split) == (Severity.WARNING, "training")
    finding, = between(check, {"training": [ONE] * 19, "val": [ONE] * 9 + [BOTH]}, SPEC)
    assert finding.severity is Severity.NOTE  # a sample


def test_sure_and_expected_absences_are_kept_apart() -> None:
    rare = mask("0 1 / 2 3")
    findings = between(check, {"a": [BOTH] * 30 + [rare], "b": [ONE] * 20}, LabelSpec(4))
    assert [(finding.severity, finding.ids) for finding in findings] == [(Severity.WARNING, (2,)), (Severity.NOTE, (3,))]


def test_classes_are_inferred_from_all_splits_together() -> None:
    finding, = between(check, {"train": [BOTH] * 20, "val": [ONE] * 10})
    assert finding.ids == (2,)


@pytest.mark.parametrize(("train", "val", "spec"), [
    ([BOTH] * 9, [BOTH] * 9, SPEC),
    ([ONE] * 9, [ONE] * 9, SPEC),                                   # absent from all: LG204
    ([BOTH] * 9, [], SPEC),                                         # a split without masks
    ([BOTH] * 9, [ONE] * 9, LabelSpec(3, 2)),                       # an ignored id is not a class
    ([BOTH] * 9, [ONE] * 9, LabelSpec(2)),                          # an illegal id is none either
    ([mask("0 1 255")] * 9, [ONE] * 9, LabelSpec()),                # void, by inference
])
def test_it_leaves_alone(train: list[Labels], val: list[Labels], spec: LabelSpec) -> None:
    assert between(check, {"train": train, "val": val}, spec) == []


def test_ids_of_lossy_files_are_no_proof() -> None:
    lossy = MaskFacts.of_labels(BOTH, Storage("jpeg", lossy=True))
    assert between(check, {"train": [ONE] * 9 + [lossy], "val": [ONE] * 9}, SPEC) == []


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_the_chance_is_the_hypergeometric_one(without: int, holding: int, drawn: int) -> None:
    total = without + holding
    if drawn <= total:
        assert chance_of_none(total, holding, drawn) == pytest.approx(comb(without, drawn) / comb(total, drawn))


@pytest.mark.parametrize(("holding", "files", "lacking", "severity"), [
    (7, 15, 15, Severity.WARNING),   # three classes could be missing, and the chance for any of them is 0.95 %
    (10, 10, 3, Severity.NOTE)])     # 1.05 %
def test_an_absence_with_a_chance_below_one_percent_is_a_warning(holding: int, files: int, lacking: int, severity: Severity) -> None:
    finding, = between(check, {"a": [BOTH] * holding + [ONE] * (files - holding), "b": [ONE] * lacking}, SPEC)
    assert finding.severity is severity


@pytest.mark.parametrize(("files", "severity"), [(19, Severity.NOTE), (20, Severity.WARNING)])
def test_twenty_files_are_enough_to_train(files: int, severity: Severity) -> None:
    finding, = between(check, {"train": [ONE] * files, "val": [ONE] * 9 + [BOTH]}, SPEC)
    assert finding.severity is severity


@pytest.mark.parametrize(("missing", "lines"), [(8, 8), (9, 9)])
def test_eight_classes_are_listed(missing: int, lines: int) -> None:
    every = mask(" ".join(map(str, range(missing + 1))))
    finding, = between(check, {"a": [every] * 9, "b": [mask("0 0")] * 9}, LabelSpec(missing + 1))
    assert len(finding.evidence) == lines and (finding.evidence[-1] == "and 1 more class") is (missing == 9)

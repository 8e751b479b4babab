"""A cause replaces its symptoms: only where it accounts for all of them, and only where it is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelguard import scan
from labelguard.checks.registry import select_rules
from labelguard.checks.symptoms import without_symptoms
from labelguard.finding import Finding, Severity
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, all_findings, mask, png, scene, shifted

RULES = select_rules()
SPACES = {space.name: space for space in spaces()}
NAMES = {rule.code: rule.name for rule in RULES}


def found(code: str, *ids: int, path: str | None = None, files: tuple[str, ...] = (), severity: Severity = Severity.ERROR,
          explains: tuple[int, ...] = (), pixels: int | None = None) -> Finding:
    return Finding(code, NAMES[code], severity, "", path=path, files=files, ids=ids, explains=explains, pixels=pixels)


def left(*findings: Finding) -> list[Finding]:
    return without_symptoms(findings, RULES)


OUT_A, OUT_B = found("LG101", 255, path="a"), found("LG101", 255, path="b")


@pytest.mark.parametrize("cause", ["LG102", "LG103", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG110", "LG111", "LG301"])
def test_a_cause_replaces_out_of_range_in_the_files_that_it_names(cause: str) -> None:
    reason = found(cause, 255, files=("a",))
    assert left(OUT_A, OUT_B, reason) == [OUT_B, reason]


def test_a_cause_that_explains_only_some_ids_of_a_file_replaces_nothing() -> None:
    more, reason = found("LG101", 77, 255, path="a"), found("LG102", 255, files=("a",))
    assert left(more, reason) == [more, reason]


def test_two_causes_together_may_explain_all_ids_of_a_file() -> None:
    symptom = found("LG101", 5, 255, path="a")
    reasons = [found("LG103", 255, files=("a", "b")), found("LG106", 5, files=("a",))]
    assert left(symptom, *reasons) == reasons


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_a_doubtful_cause_replaces_nothing(severity: Severity) -> None:
    reason = found("LG103", 255, files=("a",), severity=severity)
    assert left(OUT_A, reason) == [OUT_A, reason]


def test_what_is_no_cause_of_it_replaces_nothing() -> None:
    other = found("LG202", 255, path="a")
    assert left(OUT_A, other) == [OUT_A, other]


def test_the_order_of_what_is_left_stays() -> None:
    reason = found("LG102", 255, files=("a",))
    assert left(OUT_B, reason, OUT_A) == left(reason, OUT_B, OUT_A)[::-1] == [OUT_B, reason]


def test_a_lossy_file_is_not_also_out_of_range_and_full_of_colors() -> None:
    lossy = found("LG002", 0, 1, 255, path="a")
    symptoms = [OUT_A, found("LG003", path="a"), found("LG004", path="a"), found("LG005", path="a")]
    elsewhere = found("LG003", path="b")
    assert left(*symptoms, elsewhere, lossy) == [elsewhere, lossy]


@pytest.mark.parametrize("cause", ["LG102", "LG104", "LG106", "LG205", "LG301"])
def test_an_absent_class_folds_into_the_cause_that_emptied_it(cause: str) -> None:
    absent = found("LG204", 4, files=("a", "b"), pixels=0, severity=Severity.NOTE)
    reason = found(cause, 255, files=("a",), explains=(4,))
    assert left(absent, reason) == [reason]


def test_an_absent_class_stays_where_the_cause_emptied_another() -> None:
    absent, reason = found("LG204", 2, 4, files=("a",), pixels=0), found("LG102", 255, files=("a",), explains=(4,))
    assert left(absent, reason) == [absent, reason]


@pytest.mark.parametrize(("files", "stays"), [(("a", "b"), False), (("a",), True)])
def test_a_cause_in_some_files_replaces_nothing_that_concerns_others(files: tuple[str, ...], stays: bool) -> None:
    symptom, reason = found("LG207", 1, 2, files=("a", "b")), found("LG106", 3, files=files, explains=(1, 2))
    assert left(symptom, reason) == [symptom] * stays + [reason]


def test_nothing_in_nothing_out() -> None:
    assert left() == []


# --- by whole scans -----------------------------------------------------------------------------------------------------------------------

SPEC = LabelSpec(5)
DAMAGED = [shifted(scene(range(1, 5), seed=seed), 1) for seed in range(2)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, labels in enumerate(DAMAGED):
        (tmp_path / f"{number}.png").write_bytes(png(labels))
    return tmp_path


def codes(folder: Path, **choice: list[str]) -> list[str]:
    return [finding.code for finding in scan(folder, spec=SPEC, jobs=1, **choice).findings]


def test_a_shift_is_one_finding(folder: Path) -> None:
    assert codes(folder) == ["LG102"]


@pytest.mark.parametrize("choice", [{"ignore": ["LG102"]}, {"select": ["LG101", "LG204"]}])
def test_symptoms_stay_where_the_cause_is_not_asked_for(folder: Path, choice: dict[str, list[str]]) -> None:
    assert codes(folder, **choice) == ["LG101", "LG101", "LG204"]


def test_the_cause_stays_where_the_symptom_is_not_asked_for(folder: Path) -> None:
    assert codes(folder, ignore=["LG101"]) == codes(folder, select=["LG102"]) == ["LG102"]


def test_an_undetermined_id_is_out_of_range_all_the_same() -> None:
    masks = [scene(range(1, 5), band=255)]
    found = sorted(finding.code for finding in all_findings(masks, LabelSpec(9)))
    assert found[0] == "LG101" and found[1] in ("LG102", "LG103") and found[2:] == ["LG204"]


def test_a_stray_id_in_one_file_is_not_hidden_by_the_shift() -> None:
    masks = [*DAMAGED, DAMAGED[0].copy()]
    masks[2][0, 0] = 77
    found = [(finding.code, finding.path) for finding in all_findings(masks, SPEC)]
    assert ("LG101", "002") in found and ("LG102", None) in found


@pytest.mark.parametrize(("masks", "spec", "expected"), [
    ([255 * labels for labels in drawn_set(2, void=None)], LabelSpec(2), ["LG104"]),
    ([mask("0 255 / 255 0")], LabelSpec(2, 255), ["LG205"]),
    ([labels + np.uint8(1) for labels in drawn_set(3, void=None)], LabelSpec(3), ["LG106"]),
    ([mask("0 1 / 2 3")], LabelSpec(3), ["LG101"]),
    ([scene(range(1, 5), ribbon=255)], SPEC, ["LG103"]),
    ([np.where(scene(range(1, 5)) == 0, 255, scene(range(1, 5))).astype("uint8")], SPEC, ["LG102"]),
    ([scene([1, 2, 3, 4, 156])], SPEC, ["LG110"]),
    ([scene([1, 2, 3, 4])], SPEC, []),
])
def test_one_fault_is_one_error(masks: list[Labels], spec: LabelSpec, expected: list[str]) -> None:
    assert [finding.code for finding in all_findings(masks, spec) if finding.severity is Severity.ERROR] == expected


def test_what_happened_to_one_folder_does_not_hide_what_happened_to_another(tmp_path: Path) -> None:
    train = drawn_set(19, 12)
    official = {label: code for code, label in SPACES["cityscapes"].to["cityscapes-train"].items() if label is not None}
    upward = {label: label + 1 for label in range(19)}
    for folder, masks in (("a", relabeled(train, official | {255: 0})), ("b", relabeled(train, upward))):
        (tmp_path / folder).mkdir()
        for number, labels in enumerate(masks):
            (tmp_path / folder / f"{number}.png").write_bytes(png(labels))
    found = scan(tmp_path, spec=LabelSpec(19, 255), jobs=1).findings
    assert {finding.code: {path[0] for path in finding.concerns} for finding in found} == {"LG106": {"b"}, "LG108": {"a"}}

"""What is accepted or known does not fail a run, is counted, and is never lost; what is new does, be it one more file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import labelguard
from labelguard import Finding, ScanReport, Severity, UsageError
from labelguard.finding import FileList
from labelguard.report.baseline import Baseline, Known, mark_of
from labelguard.report.gate import Gate, Judging, Looked, read_gate
from labelguard.spec.acceptance import acceptances
from tests.drawn import bands, folder

SKY = {"code": "LG101", "path": "night/", "reason": "9 is the  sky\nof the old export"}
LOOKED = Looked(True, frozenset({"LG101", "LG007"}), frozenset({"out.png"}))


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"good.png": bands(0, 1, 2), "stray.png": bands(0, 1, 9), "night/a.png": bands(0, 1, 9),
                                       "night/empty.png": bands(0)})


def scanned(masks: Path, **options: Any) -> ScanReport:
    return labelguard.scan(masks, **{"num_classes": 3, "select": "LG101,LG201", **options})


def of_file(path: str, *ids: int, severity: Severity = Severity.ERROR) -> Finding:
    return Finding("LG101", "out-of-range", severity, "m", path=path, ids=ids)


def of_set(*files: str) -> Finding:
    return Finding("LG007", "mixed-encoding", Severity.ERROR, "m", files=FileList(files))


def judged(finding: Finding, *accept: dict[str, Any], known: Finding | None = None) -> list[tuple[list[str], str, bool]]:
    """The files, the reason and whether it is known, of each part."""
    baseline = None if known is None else Baseline("b.json", {mark_of(known, file): Known(known.name, known.severity, 1)
                                                              for file in known.concerns or (None,)})
    parts = [*Judging(Gate(acceptances(accept), baseline)).parts(finding)]
    return [([*part.concerns], part.accepted, part.known) for part in parts]


def test_an_accepted_finding_is_counted_with_its_reason_and_does_not_fail(masks: Path) -> None:
    report = scanned(masks, accept=[SKY, {"code": "empty-mask", "reason": "fog"}])
    assert [(finding.path, finding.accepted) for finding in report.findings] == [
        ("night/a.png", "9 is the sky of the old export"), ("stray.png", ""), ("night/empty.png", "fog")]
    assert report.count("error") == 1 and report.exit_code() == 1 and not report.clean and "1 error, 2 accepted" in repr(report)
    text = str(report)
    assert "1 error, 0 warnings, 0 notes; 2 accepted.\n" in text and "Accepted: LG101 out-of-range (1 file): 9 is the sky of the" in text
    assert "night/a.png" not in text and [found["accepted"] for found in report.to_dict()["findings"]][1:] == [None, "fog"]
    assert report.data.ids[9] == scanned(masks).data.ids[9]  # facts of accepted files count all the same
    rest = scanned(masks, accept=[{"code": "lg101", "reason": "x"}, {"code": "LG201", "reason": "fog"}])
    assert rest.exit_code("note") == 0 and not rest.clean and "No findings but 3 accepted; " in str(rest)


ACCEPTED = [
    ({"path": "a/"}, [(["b"], "", False), (["a/1", "a/2"], "r", False)]),
    ({"path": ["b", "a/1"]}, [(["a/2"], "", False), (["a/1", "b"], "r", False)]),
    ({}, [(["a/1", "a/2", "b"], "r", False)]),
    ({"path": "c"}, [(["a/1", "a/2", "b"], "", False)]),
]


@pytest.mark.parametrize(("entry", "parts"), ACCEPTED)
def test_a_finding_about_the_set_is_accepted_file_by_file(entry: dict[str, Any], parts: list[Any]) -> None:
    assert judged(of_set("a/1", "a/2", "b"), {"code": "LG007", "reason": "r", **entry}) == parts


def test_what_is_left_of_a_finding_says_so() -> None:
    rest, _ = Judging(Gate(acceptances([{"code": "LG007", "reason": "r", "path": "a/"}]))).parts(of_set("a/1", "a/2", "b"))
    assert rest.evidence == ("2 of the 3 files that this is about are accepted, and not named here",)


def test_only_the_ids_that_are_named_are_accepted() -> None:
    entry = {"code": "LG101", "reason": "r", "ids": [7, 8]}
    assert [judged(of_file("a", *ids), entry)[0][1] for ids in ((7,), (7, 8), (7, 9))] == ["r", "r", ""]


def test_what_has_no_file_is_accepted_only_where_no_file_is_named() -> None:
    absent = Finding("LG204", "absent-class", Severity.WARNING, "m", ids=(1,))
    assert [judged(absent, {"code": "LG204", "reason": "r", **path})[0][1] for path in ({}, {"path": "*"})] == ["r", ""]


def test_what_is_known_by_code_file_and_ids_is_not_new() -> None:
    known = of_file("a", 7)
    assert [judged(finding, known=known)[0][2] for finding in (known, of_file("b", 7), of_file("a", 7, 8), of_file("a", 8))] == [
        True, False, False, False]
    assert judged(of_file("a", 7, severity=Severity.WARNING), known=known)[0][2]
    assert not judged(known, known=of_file("a", 7, severity=Severity.WARNING))[0][2]  # it has become worse


def test_one_more_file_of_a_finding_about_the_set_is_new() -> None:
    assert judged(of_set("a", "b", "c"), known=of_set("c", "a")) == [(["b"], "", False), (["a", "c"], "", True)]
    assert judged(of_set("a"), known=of_set("c", "a")) == [(["a"], "", True)]


def test_a_second_finding_of_the_same_kind_is_new() -> None:
    judging = Judging(Gate((), Baseline("b.json", {mark_of(of_file("a", 7), "a"): Known("x", Severity.ERROR, 2)})))
    assert [part.known for _ in range(3) for part in judging.parts(of_file("a", 7))] == [True, True, False]


@pytest.mark.parametrize(("looked", "gone"), [
    (LOOKED, ["a"]), (Looked(False, LOOKED.codes), []), (Looked(True, frozenset({"LG102"})), []),
    (Looked(True, LOOKED.codes, frozenset({"a"})), [])])
def test_gone_is_what_was_looked_for_and_not_found(looked: Looked, gone: list[str]) -> None:
    known = {mark_of(of_file(path, 7), path): Known("x", Severity.ERROR, 1) for path in ("a", "b")}
    judging = Judging(Gate((), Baseline("b.json", known)))
    assert [part.known for part in judging.parts(of_file("b", 7))] == [True]
    outcome = judging.outcome(looked)
    assert [mark.path for mark, _ in outcome.gone] == gone and len(outcome.gone) + len(outcome.unseen) == 1


@pytest.mark.parametrize(("entry", "looked", "stale"), [
    ({}, LOOKED, False), ({}, Looked(True, LOOKED.codes), True), ({"path": "x"}, LOOKED, True), ({"path": "out.png"}, LOOKED, False),
    ({"path": "x"}, Looked(False, LOOKED.codes), False), ({"path": "x", "code": "LG102"}, LOOKED, False)])
def test_stale_is_what_matches_nothing_that_was_looked_for(entry: dict[str, Any], looked: Looked, stale: bool) -> None:
    judging = Judging(Gate(acceptances([{"code": "LG101", "reason": "r", **entry}])))
    assert [*judging.parts(of_set("x"))] and bool(judging.outcome(looked).stale) is stale


def test_a_stale_acceptance_is_told(masks: Path) -> None:
    report = scanned(masks, accept=[SKY | {"path": "day/"}])
    assert "Stale:    accept[0] (LG101 of day/) matches no finding; take it out." in str(report)
    assert [entry["reason"] for entry in report.to_dict()["gate"]["stale"]] == ["9 is the sky of the old export"]


WRONG: list[tuple[object, str]] = [
    ("LG101", "it must be a list of tables"), ([5], r"accept\[0\] is 5; it must be a table"),
    ([{"code": "LG101"}], "'reason' is missing: give a sentence"), ([{"code": "LG101", "reason": " "}], "'reason' is ' '; it must be"),
    ([SKY | {"code": 5}], "'code' is 5"), ([SKY | {"pth": "a"}], "unknown key 'pth'; .* Did you mean 'path'"),
    ([SKY | {"path": 5}], "'path' is 5"), ([SKY | {"ids": "a"}], "'ids' is 'a'"), ([SKY | {"ids": [True]}], "'ids' is"),
    ([SKY, SKY | {"code": "empty-masks"}], r"accept\[1\]: 'empty-masks' is not the code or name of a check; .* Did you mean 'empty-mask'"),
    ([SKY | {"code": "LG1"}], "'LG1' is not the code"),
]


@pytest.mark.parametrize(("accept", "words"), WRONG)
def test_a_wrong_acceptance_is_a_sentence(masks: Path, accept: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        scanned(masks, accept=accept)


def test_a_pattern_that_cannot_be_read_is_told_before_anything_is_scanned() -> None:
    with pytest.raises(UsageError, match=r"accept\[0\]: path: a pattern of a.* cannot be read"):
        read_gate(acceptances([SKY | {"path": "a\\"}]), None)


def test_what_is_nowhere_is_known_of_the_set_and_not_of_its_files() -> None:
    def absent(*files: str, split: str | None = None, ids: tuple[int, ...] = (5,)) -> Finding:
        return Finding("LG206", "missing-from-split", Severity.WARNING, "m", files=FileList(files), ids=ids, pixels=0, split=split)

    known = Baseline("b.json", {mark_of(absent(split="val"), None): Known("x", Severity.WARNING, 1)})
    for finding, now in ((absent("a", "b", split="val"), True), (absent("a", split="test"), False), (absent(ids=(6,), split="val"), False)):
        assert [part.known for part in Judging(Gate((), known)).parts(finding)] == [now]

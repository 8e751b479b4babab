"""SARIF: what it says holds against the format, and reaches whoever shows it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

import labelguard
from labelguard import Finding, Fix, Severity
from labelguard.report import sarif
from labelguard.report.base import Report
from tests.drawn import bands, folder
from tests.report.sarif_schema import SCHEMA

SCHEMAS = [SCHEMA, *(json.loads(Path(name).read_text()) for name in [os.environ.get("LABELGUARD_SARIF_SCHEMA")] if name)]
ODD = ["a b.png", "#?%&;=.png", "\u00e4\u6f22.png", "<script>.png", "'\".png", "[x](y).png", "new\nline.png", "\u202e.png", "sub/0.png"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("a repository")
    (root / ".git").mkdir()
    folder(root / "masks", {name: bands(0, 1, 7, 9) for name in ODD})
    return root


@pytest.fixture
def report(root: Path, monkeypatch: pytest.MonkeyPatch) -> labelguard.ScanReport:
    monkeypatch.chdir(root)
    return labelguard.scan("masks", num_classes=2)


def log_of(report: Report, fail_on: Any = Severity.ERROR) -> dict[str, Any]:
    text = StringIO()
    sarif.write(report, text, fail_on)
    log: dict[str, Any] = json.loads(text.getvalue())
    for schema in SCHEMAS:
        jsonschema.validate(log, schema)
    run: dict[str, Any] = log["runs"][0]
    return run


def notes(run: dict[str, Any]) -> list[str]:
    return [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]


def uris(result: dict[str, Any]) -> list[str]:
    return [location["physicalLocation"]["artifactLocation"]["uri"] for location in result["locations"]]


def finding(path: str | None = None, files: Iterable[str] = (), **more: Any) -> Finding:
    return Finding("LG101", "out-of-range", Severity.ERROR, "Id 7 is not a class.", path=path, files=files, **more)  # type: ignore[arg-type]


def test_every_finding_is_a_result_with_its_file_and_its_rule(report: labelguard.ScanReport, root: Path) -> None:
    run = log_of(report)
    assert len(run["results"]) == len(report.findings) >= len(ODD) and run["invocations"][0]["exitCode"] == 1
    assert run["originalUriBaseIds"] == {"ROOT": {"uri": f"{root.as_uri()}/"}}
    for found, result in zip(report.findings, run["results"], strict=True):
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"] == found.code and result["level"] == found.severity.value
        assert rule["help"]["text"] == labelguard.rules(found.code)[0].manual and "Why is this bad?" in rule["help"]["markdown"]
        assert [unquote(uri) for uri in uris(result)] == [f"masks/{name}" for name in found.concerns or ["."]][:len(uris(result))]


def test_what_is_damaged_by_any_reader_of_text_is_not_there(report: labelguard.ScanReport) -> None:
    text = StringIO()
    sarif.write(replace(report, findings=(replace(finding("a\udcff\u2028.png"), message="\x1b[31m [a](b)"),)), text, None)
    result = json.loads(text.getvalue())["runs"][0]["results"][0]
    assert uris(result) == ["masks/a%FF%E2%80%A8.png"] and result["message"]["text"] == r"\x1b\[31m \[a\](b)"


def test_files_outside_the_repository_are_told_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path / "masks", {"a.png": bands(0, 7)})
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run = log_of(labelguard.scan(tmp_path / "masks", num_classes=2))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": (tmp_path / "masks" / "a.png").as_uri()}


def test_images_and_splits_lie_where_they_lie(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    for split in "ab":
        folder(root / split, {f"{split}.png": bands(0, 7)})
        folder(root / f"{split}i", {f"{split}.png": bands(3, 3), "alone.png": bands(4, 5)})
    report = labelguard.scan_splits({"a": "a", "b": "b"}, images={"a": "ai", "b": "bi"}, num_classes=2)
    findings = finding("a/a.png"), finding("b/b.png", subject="image"), finding(files=["a/a.png", "b/b.png"])
    results = log_of(replace(report, findings=findings))["results"]
    assert [uris(result) for result in results] == [["a/a.png"], ["bi/b.png"], ["a/a.png", "b/b.png"]]
    assert log_of(report)["results"]


def test_fingerprints_do_not_hang_on_places_order_or_counts(report: labelguard.ScanReport) -> None:
    def marks(*findings: Finding) -> list[str]:
        return [result["partialFingerprints"]["labelguard/v1"] for result in log_of(replace(report, findings=findings))["results"]]

    of_set, changed = finding(files=["a.png", "b.png"], ids=(7,)), finding(files=["c.png"], ids=(7,), pixels=9)
    assert marks(of_set) == marks(changed) and marks(of_set, finding("a.png"))[0] == marks(finding("a.png"), of_set)[1]
    others = marks(finding("a.png"), finding("b.png"), finding("a.png", ids=(7,)), finding("a.png", subject="image"), finding("a.png"))
    assert len({*others}) == 5


def test_a_finding_about_the_set_names_all_its_files_up_to_what_is_taken(report: labelguard.ScanReport) -> None:
    for number in (sarif.MOST_LOCATIONS, sarif.MOST_LOCATIONS + 1):
        result, = log_of(replace(report, findings=(finding(files=[f"{file}.png" for file in range(number)]),)))["results"]
        assert len(result["locations"]) == sarif.MOST_LOCATIONS and result["properties"]["files"] == number
        assert ("1,000 of 1,001 files are named here" in result["message"]["text"]) == (number > sarif.MOST_LOCATIONS)


@pytest.mark.parametrize("number", [5, 6])
def test_what_goes_beyond_the_limits_is_counted(report: labelguard.ScanReport, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 5)
    run = log_of(replace(report, findings=tuple(finding(f"{file}.png") for file in range(number))))
    assert len(run["results"]) == 5 and any(note.startswith("1 of 6 findings left out") for note in notes(run)) == (number > 5)


def test_it_stays_below_the_size_that_is_taken(report: labelguard.ScanReport, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = tuple(replace(finding(f"{file}.png"), fix=Fix.advice("x" * 1_500)) for file in range(200))
    monkeypatch.setattr(sarif, "MOST_BYTES", 100_000)
    text = StringIO()
    sarif.write(replace(report, findings=findings), text, None)
    assert 80_000 < len(text.getvalue()) < 100_000 and "findings left out, the least serious ones" in text.getvalue()


def test_what_is_accepted_or_known_says_so_and_comes_last(report: labelguard.ScanReport) -> None:
    findings = finding("a.png", accepted="a toy"), finding("b.png", known=True), finding("c.png")
    results = log_of(replace(report, findings=findings))["results"]
    assert [uris(result) for result in results] == [["masks/c.png"], ["masks/a.png"], ["masks/b.png"]]
    assert [result["baselineState"] for result in results] == ["new", "new", "unchanged"]
    assert results[1]["suppressions"] == [{"kind": "external", "justification": "a toy"}] and "suppressions" not in results[2]
    assert all("baselineState" not in result for result in log_of(report)["results"])


def test_an_incomplete_scan_and_checks_that_were_skipped_are_told(report: labelguard.ScanReport) -> None:
    run = log_of(replace(report, complete=False))
    assert not run["invocations"][0]["executionSuccessful"] and run["invocations"][0]["exitCode"] == 130
    assert "The work was broken off: there may be more findings." in notes(run)
    assert "LG401 was not checked: no --images given." in notes(run)

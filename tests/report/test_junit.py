"""JUnit's XML, read by a library."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

import labelguard
from labelguard import Finding, ScanReport, Severity
from labelguard.report import junit
from labelguard.report.base import Report
from tests.drawn import bands, folder


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> ScanReport:
    return labelguard.scan(folder(tmp_path_factory.mktemp("junit"), {"a.png": bands(0, 1)}), num_classes=2, ignore="LG2")


def cases_of(report: Report, fail_on: Any = Severity.ERROR) -> dict[str, TestCase]:
    text = StringIO()
    junit.write(report, text, fail_on)
    xml = JUnitXml.fromstring(text.getvalue().encode())
    cases = [case for suite in xml for case in suite]
    kinds = [[case for case in cases if any(isinstance(result, kind) for result in case.result)] for kind in (Failure, Error, Skipped)]
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (len(cases), *map(len, kinds))
    found = {str(case.name): case for case in cases}
    assert len(found) == len(cases)
    return found


def finding(severity: Severity = Severity.ERROR, **more: Any) -> Finding:
    return Finding("LG101", "out-of-range", severity, **{"message": "Id 7 is not a class.", "path": "a.png"} | more)


NAME = "LG101 out-of-range"


def test_each_check_is_a_case_and_no_file_is(clean: ScanReport) -> None:
    cases = cases_of(replace(clean, findings=tuple(finding(path=f"{number}.png") for number in range(2_000))))
    assert len(cases) < 100 and cases[NAME].result[0].message == "2,000 findings: The mask holds ids that are neither a class nor ignored."
    text = cases[NAME].result[0].text
    assert text.splitlines()[0] == "error: 0.png: Id 7 is not a class."
    assert text.count("Id 7") == junit.MOST_FINDINGS and "and 1,000 more" in text


def test_what_passed_what_was_skipped_and_what_was_not_asked_for(clean: ScanReport) -> None:
    cases = cases_of(clean)
    assert cases["LG001 unreadable"].is_passed and cases[NAME].is_passed and "LG201 empty-mask" not in cases
    assert cases["LG401 mask-without-image"].result[0].message == "no --images given" and "LG501 loss-exception" not in cases


@pytest.mark.parametrize(("severity", "fail_on", "fails"), [
    ("error", "error", True), ("warning", "error", False), ("warning", "warning", True), ("note", "warning", False),
    ("error", None, False)])
def test_a_case_fails_where_the_command_does(clean: ScanReport, severity: str, fail_on: Any, fails: bool) -> None:
    report = replace(clean, findings=(finding(Severity(severity)),))
    case = cases_of(report, fail_on)[NAME]
    assert case.is_failure == fails == (report.exit_code(fail_on) == 1)
    told = case.result[0].text if fails else case.system_out
    assert told == f"{severity}: a.png: Id 7 is not a class."


def test_what_is_accepted_or_known_does_not_fail_and_is_told(clean: ScanReport) -> None:
    case = cases_of(replace(clean, findings=(finding(accepted="a toy"), finding(known=True), finding(path="b.png"))))[NAME]
    assert case.result[0].text == "error: b.png: Id 7 is not a class."
    assert case.system_out.splitlines() == ["error (accepted: a toy): a.png: Id 7 is not a class.",
                                            "error (known): a.png: Id 7 is not a class."]


def test_a_finding_about_the_set_has_its_evidence_and_its_files(clean: ScanReport) -> None:
    found = finding(path=None, files=[f"{number}.png" for number in range(101)], evidence=("seen",))
    lines = cases_of(replace(clean, findings=(found,)))[NAME].result[0].text.splitlines()
    assert lines[:3] == ["error: Id 7 is not a class.", "- seen", "- 0.png"] and lines[-1] == "- and 1 more file" and len(lines) == 103


@pytest.mark.parametrize("odd", ["\x00\x01\x1b[31m", "a\udcff", "\ufffe\uffff", "]]>", "<script>&\"'", "new\nline", "\U0001f600 \u00e4"])
def test_no_name_breaks_the_file(clean: ScanReport, odd: str) -> None:
    case = cases_of(replace(clean, findings=(finding(path=odd, message=odd, evidence=(odd,)), finding(accepted=odd))))[NAME]
    assert case.is_failure and "\n" not in case.result[0].text


def test_work_that_was_broken_off_is_an_error(clean: ScanReport) -> None:
    assert "complete" not in cases_of(clean) and cases_of(replace(clean, complete=False))["complete"].is_error


def test_the_splits_of_a_set_are_named(tmp_path: Path) -> None:
    for split in ("train", "val"):
        folder(tmp_path / split, {"a.png": bands(0, 1, 7)})
    case = cases_of(labelguard.scan_splits({split: tmp_path / split for split in ("train", "val")}, num_classes=2))[NAME]
    assert "error: train/a.png: " in case.result[0].text and "error: val/a.png: " in case.result[0].text

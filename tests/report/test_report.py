"""What every report offers: text, JSON, HTML, data frame and table say the same of the same findings."""

from __future__ import annotations

import io
import json
import pickle
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import labelguard
from labelguard import Finding, LabelSpec, ScanReport, Severity
from labelguard.cli import main
from labelguard.finding import FileList
from labelguard.report.base import Format
from tests.drawn import bands, folder

EVIL = "<img src=x onerror=alert(1)>.png"


@pytest.fixture
def masks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "b.png": bands(0, 7), "c.png": bands(0)})


@pytest.fixture
def report(masks: Path) -> ScanReport:
    return labelguard.scan("masks", num_classes=3)


def test_the_text_of_a_report_is_what_the_command_prints(report: ScanReport) -> None:
    printed = CliRunner().invoke(main, ["scan", "masks", "--num-classes", "3"]).stdout
    assert printed == f"{labelguard.scan('masks', num_classes=3, origin='--num-classes')}\n"
    assert "declared: 3 classes, nothing ignored\n" in str(report)


def test_json_is_what_the_command_prints(report: ScanReport) -> None:
    for format_ in ("json", "jsonl"):
        printed = CliRunner().invoke(main, ["scan", "masks", "--num-classes", "3", "--format", format_]).stdout
        file = io.StringIO()
        report.write(file, format_)
        assert file.getvalue() == printed


def test_dict_and_json_are_the_same(report: ScanReport) -> None:
    assert report.to_json() == json.dumps(report.to_dict(), indent=2) + "\n"
    assert list(report.to_dict())[:5] == ["labelguard", "command", "dataset", "spec", "findings"]


def test_the_exit_code_depends_on_the_severity_that_fails(report: ScanReport) -> None:
    mild = replace(report, findings=tuple(finding for finding in report.findings if finding.severity is not Severity.ERROR))
    assert (report.exit_code(), report.exit_code(None), mild.exit_code(), mild.exit_code("warning")) == (1, 0, 0, 1)
    assert mild.to_dict(fail_on="warning")["exit_code"] == 1 and mild.to_dict()["exit_code"] == 0
    assert replace(mild, complete=False).exit_code() == 130


def test_a_report_is_one_line_to_python(report: ScanReport) -> None:
    assert repr(report) == "ScanReport(3 files, 1 error, 1 warning)"
    assert repr(replace(report, findings=())) == "ScanReport(3 files, clean)"
    assert repr(replace(report, findings=(), unselected=2)) == "ScanReport(3 files, no findings, 2 checks were not selected)"


def test_reports_are_compared_and_hashed_by_identity(report: ScanReport) -> None:
    assert {report: 1}[report] == 1 and replace(report) != report


def test_html_is_small_and_shows_names_as_text(masks: Path) -> None:
    folder(masks, {f"{number}.png": bands(0) for number in range(40)})
    (masks / EVIL).write_bytes(b"no image")
    html = labelguard.scan("masks", num_classes=3)._repr_html_()
    assert "LG001 unreadable" in html and "&lt;img" in html and "<img" not in html
    assert html.count("<tr>") == 21 and "and 23 more findings" in html and len(html) < 8_000


def test_the_table_holds_the_facts_of_each_file(report: ScanReport) -> None:
    table = report.table()
    assert len(table) == 3 and list(table)[1] == {
        "path": "b.png", "height": 40, "width": 30, "encoding": "png, 8-bit grey", "ids": (0, 7), "num_pixels": (600, 600),
        "trusted": True}
    assert repr(table) == "Table(3 rows: path, height, width, encoding, ids, num_pixels, trusted)"


def test_frames_need_pandas_and_say_so(report: ScanReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for holder in (report, report.table()):
        with pytest.raises(ImportError, match="pip install pandas"):
            holder.to_frame()


def test_frames_hold_a_row_for_each_finding_and_for_each_file(report: ScanReport) -> None:
    pytest.importorskip("pandas")
    findings, files = report.to_frame(), report.table().to_frame()
    assert list(findings["code"]) == [finding.code for finding in report.findings] and list(findings["num_files"]) == [1, 1]
    assert list(replace(report, findings=()).to_frame().columns) == list(findings.columns) and "files" not in findings.columns
    assert list(files["path"]) == ["a.png", "b.png", "c.png"] and list(files.columns[:3]) == ["path", "height", "width"]


class Reel(Collection[str]):
    """A million names, of which only one is held at a time."""

    def __init__(self) -> None:
        self.given = 0

    def __len__(self) -> int:
        return 1_000_000

    def __contains__(self, name: object) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self)):
            self.given += 1
            yield f"{number}.png"


class FullError(Exception):
    pass


class Short(io.StringIO):
    """A file that is full after a few thousand characters."""

    def write(self, text: str) -> int:
        if self.tell() > 4_000:
            raise FullError
        assert len(text) < 2_000
        return super().write(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)


@pytest.mark.parametrize("format_", ["json", "jsonl"])
def test_a_finding_about_a_million_files_is_written_name_by_name(report: ScanReport, format_: Format) -> None:
    reel = Reel()
    whole = replace(report, findings=(Finding("LG101", "out-of-range", Severity.ERROR, "Too high.", files=FileList(reel)),))
    with pytest.raises(FullError):
        whole.write(Short(), format_)
    assert 0 < reel.given < 1_000


def test_the_report_on_splits_has_them_all_in_its_line(masks: Path, tmp_path: Path) -> None:
    folder(tmp_path / "val", {"d.png": bands(0, 1, 2)})
    report = labelguard.scan_splits({"train": masks, "val": tmp_path / "val"}, spec=LabelSpec(3))
    assert repr(report).startswith("SplitsReport(train: 3 files, val: 1 file, ")
    assert {row["path"] for row in report.table()} == {"train/a.png", "train/b.png", "train/c.png", "val/d.png"}
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.to_dict()))
    assert all("split" in finding for finding in report.to_dict()["findings"])


def test_a_report_can_be_pickled_after_it_was_printed(report: ScanReport) -> None:
    text = str(report)
    again = pickle.loads(pickle.dumps(report))
    assert str(again) == text and again.to_dict() == report.to_dict()


def test_severities_are_counted_by_their_names_too(report: ScanReport) -> None:
    assert report.count("error") == report.count(Severity.ERROR) == sum(finding.severity == "error" for finding in report.findings) > 0


def test_no_check_is_run_that_was_not_selected(masks: Path) -> None:
    report = labelguard.scan(masks, select="LG101")  # which needs a class count
    assert report.data.unreadable == 0 and not report.findings and [check.code for check in report.skipped_checks] == ["LG101"]
    assert {finding.code[:3] for finding in labelguard.scan(masks, num_classes=2, select="LG4").findings} <= {"LG4"}

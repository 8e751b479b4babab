"""Annotations as GitHub Actions reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

import labelguard
from labelguard import Finding, Fix, ScanReport, Severity
from labelguard.cli import main
from tests.drawn import bands, folder

COMMAND = re.compile(r"::(?P<kind>\w+) (?P<properties>[^:]*)::(?P<message>.*)")  # as the runner reads a line


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScanReport:
    (tmp_path / ".git").mkdir()
    (tmp_path / "data").mkdir()
    folder(tmp_path / "data" / "masks", {"a.png": bands(0, 1)})
    monkeypatch.chdir(tmp_path / "data")
    return labelguard.scan("masks", num_classes=2)


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def annotations(report: ScanReport, findings: Iterable[Finding]) -> list[tuple[str, dict[str, str], str]]:
    text = StringIO()
    replace(report, findings=tuple(findings)).write(text, "github")
    found = [match for line in text.getvalue().split("\n") if (match := COMMAND.fullmatch(line))]
    return [(match["kind"], {key: unescaped(value) for key, value in (part.split("=", 1) for part in match["properties"].split(","))},
             unescaped(match["message"])) for match in found]


def finding(number: int = 0, code: str = "LG101", severity: Severity = Severity.ERROR, **more: object) -> Finding:
    return Finding(code, "out-of-range", severity, f"Number {number}.", **{"path": f"{number}.png"} | more)  # type: ignore[arg-type]


def test_a_finding_stands_beside_its_file_as_the_repository_calls_it(report: ScanReport) -> None:
    found = finding(first=(3, 4), fix=Fix.command("labelguard", "remap", "masks"))
    assert annotations(report, [found]) == [("error", {"file": "data/masks/0.png", "title": "LG101 out-of-range"},
                                             "Number 0. First at row 3, column 4.\nFix: labelguard remap masks")]


def test_a_finding_about_the_set_names_the_first_of_its_files(report: ScanReport) -> None:
    files = [f"{number}.png" for number in range(2_000)]
    assert annotations(report, [finding(path=None, files=files)]) == [
        ("error", {"title": "LG101 out-of-range"}, "Number 0.\nIn 0.png, 1.png, 2.png and 1,997 more.")]


@pytest.mark.parametrize("name", ["a:b,c=d%.png", "::error::x.png", "a\r\n::error::x.png", "%0A::stop-commands::x.png"])
def test_no_name_breaks_out_of_its_place(report: ScanReport, name: str) -> None:
    (kind, properties, message), = annotations(report, [finding(path=name)])
    shown = name.replace("\r", "\\r").replace("\n", "\\n")
    assert (kind, properties["file"], message) == ("error", f"data/masks/{shown}", "Number 0.")


def test_no_line_of_the_text_is_a_command(report: ScanReport) -> None:
    text = StringIO()
    replace(report, findings=(finding(path="::stop-commands::x"), finding(path="##[group]x"))).write(text, "github")
    lines = [line for line in text.getvalue().split("\n") if "stop-commands" in line or "group]" in line]
    assert [line.strip() for line in lines if not line.startswith("::error file=")] == [r"##\[group]x", r"\::stop-commands::x"]


@pytest.mark.parametrize(("number", "shown"), [(10, 10), (11, 9)])
def test_no_more_than_github_shows_and_the_rest_is_counted(report: ScanReport, number: int, shown: int) -> None:
    found = annotations(report, [finding(each) for each in range(number)])
    assert len(found) == 10 and sum("file" in properties for _, properties, _ in found) == shown
    assert (found[-1][2] == "2 more errors without an annotation: LG101 out-of-range (2).") == (number > 10)


def test_every_check_gets_its_turn_and_every_severity_its_own_ten(report: ScanReport) -> None:
    many = [finding(each) for each in range(50)] + [finding(99, "LG102")] + [finding(each, "LG201", Severity.NOTE) for each in range(2)]
    found = annotations(report, many)
    assert [message for _, _, message in found[:3]] == ["Number 0.", "Number 99.", "Number 1."]
    assert [kind for kind, _, _ in found] == ["error"] * 10 + ["notice"] * 2


def test_nothing_is_annotated_that_is_accepted_or_known(report: ScanReport) -> None:
    assert not annotations(report, [finding(accepted="a toy"), finding(known=True)])


def test_the_command_prints_the_text_after_them(report: ScanReport, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["scan", "masks", "--num-classes", "1", "--format", "github"], standalone_mode=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error ") and "masks: 1 mask read, 1,200 pixels (40 x 30, png, 8-bit grey)" in lines

"""A baseline: the same bytes for the same findings, whole or not at all, and never in the place of anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import labelguard
from labelguard import Finding, IncompleteError, ScanReport, Severity, UsageError
from labelguard.files import whole_file
from labelguard.report import baseline
from labelguard.report.baseline_file import baseline_of, may_become_baseline
from tests.drawn import bands, folder

DRAWN = {"good.png": bands(0, 1, 2), "stray.png": bands(0, 1, 9), "a \n<b>'.png": bands(0, 9), "night/empty.png": bands(0)}
ENTRY = '{"code": "LG101", "name": "out-of-range", "severity": "error", "path": "a.png", "ids": [9]}'


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "masks", DRAWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scanned(**options: Any) -> ScanReport:
    return labelguard.scan("masks", **{"num_classes": 3, "select": "LG101,LG201", **options})


def test_it_has_a_line_for_each_finding_in_the_order_of_codes_and_files(inside: Path) -> None:
    report = scanned()
    after = report.write_baseline("b.json")
    lines = (inside / "b.json").read_text().splitlines()
    assert [json.loads(line.rstrip(","))["path"] for line in lines[3:-2]] == ["a \n<b>'.png", "stray.png", "night/empty.png"]
    assert report.exit_code() == 1 and after.exit_code("note") == 0 and all(finding.known for finding in after.findings)
    assert "Baseline: 3 findings written to b.json, 3 new." in str(after) and after.to_dict()["gate"]["written"]


def test_the_same_findings_leave_the_same_bytes(inside: Path) -> None:
    written = []
    for options in ({"jobs": 1}, {"jobs": 3}, {"baseline": "b.json"}):
        scanned(**options).write_baseline("b.json")
        written.append((inside / "b.json").read_bytes())
    assert len({*written}) == 1


def test_what_is_new_fails_what_is_known_is_counted_and_what_went_is_told(inside: Path) -> None:
    scanned().write_baseline("b.json")
    assert scanned(baseline="b.json").exit_code("note") == 0
    folder(inside / "masks", {"stray.png": bands(0, 1, 2), "new.png": bands(0, 9), "night/b/empty.png": bands(0)})
    report = scanned(baseline="b.json")
    assert [(finding.path, finding.known) for finding in report.findings] == [
        ("a \n<b>'.png", True), ("new.png", False), ("night/b/empty.png", False), ("night/empty.png", True)]
    text = str(report)
    assert report.exit_code() == 1 and "1 error, 1 warning, 0 notes; 2 known" in text and "Gone:     LG101 (id 9) in stray.png." in text
    assert "Baseline: 2 findings known by b.json; --verbose" in text and "new.png" in text and "<b>" not in text
    assert report.to_dict()["gate"]["gone"] == [{"code": "LG101", "name": "out-of-range", "path": "stray.png", "ids": [9], "count": 1}]


def test_what_was_not_looked_at_is_neither_gone_nor_lost(inside: Path) -> None:
    scanned().write_baseline("b.json")
    before = (inside / "b.json").read_bytes()
    for narrowed in ({"select": "LG101"}, {"ignore": "LG101"}, {"include": "night/"}, {"num_classes": None}):
        report = scanned(baseline="b.json", **narrowed)
        assert not report.gated.gone and all(finding.known for finding in report.findings), narrowed
        report.write_baseline("b.json")
        assert (inside / "b.json").read_bytes() == before, narrowed


def test_what_is_accepted_is_not_written_and_not_gone(inside: Path) -> None:
    scanned().write_baseline("b.json")
    report = scanned(baseline="b.json", accept=[{"code": "LG101", "reason": "sky"}])
    assert not report.gated.gone and [finding.known for finding in report.findings] == [False, False, True]
    report.write_baseline("b.json")
    assert "LG101" not in (inside / "b.json").read_text()


def test_splits_have_their_names_in_it(inside: Path) -> None:
    folder(inside / "val", {"x.png": bands(0, 1, 2)})
    splits = {"train": "masks", "val": "val"}
    report = labelguard.scan_splits(splits, num_classes=3, select="LG101,LG206")
    report.write_baseline("b.json")
    assert '"path": "train/stray.png"' in (inside / "b.json").read_text()
    again = labelguard.scan_splits(splits, num_classes=3, select="LG101,LG206", baseline="b.json")
    assert again.exit_code("note") == 0 and all(finding.known for finding in (*again.findings, *again.splits["train"].findings))
    assert "train/stray.png" not in (shown := str(again)) and "No findings but 2 known" in shown
    folder(inside / "val", {"y.png": bands(0, 9)})
    new = labelguard.scan_splits(splits, num_classes=3, select="LG101", baseline="b.json").findings
    assert [finding.path for finding in new if finding.counts] == ["val/y.png"]


DAMAGED = [
    (ENTRY, "does not begin with"), (f"[{ENTRY}]", "does not begin with"), ("\xff", "it is not JSON"), ("[" * 100_000, "it is not JSON"),
    ('{"labelguard-baseline": 2, "findings": []}', "its format is version 2"), ('{"labelguard-baseline": 1}', "'findings' is not a list"),
    (f'{{"labelguard-baseline": 1,\n"findings": [\n{ENTRY}\n{ENTRY}]}}', "line 4 is damaged .*; restore it, or remove it and"),
    (f'{{"labelguard-baseline": 1, "findings": [{ENTRY}, 7]}}', "finding 2 is damaged: 7"),
    *((f'{{"labelguard-baseline": 1, "findings": [{ENTRY.replace(was, now)}]}}', "finding 1 is damaged")
      for was, now in (("[9]", '["9"]'), ("[9]", "9"), ('"a.png"', "5"), ('"code"', '"cod"'), ('"error"', '"eror"'),
                       ("}", ', "count": 0}'), ('"out-of-range"', "null"))),
    (f'{{\n"labelguard-baseline": 1, "findings": [\n<<<<<<< HEAD\n{ENTRY}\n=======\n>>>>>>> b\n]}}', "a merge that was not finished"),
]


@pytest.mark.parametrize(("text", "words"), DAMAGED)
def test_a_damaged_one_is_a_sentence(inside: Path, text: str, words: str) -> None:
    (inside / "b.json").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=f"'b.json' cannot be read as a baseline: .*{words}"):
        scanned(baseline="b.json")


def test_one_that_is_not_there_is_told_before_anything_is_read(inside: Path) -> None:
    with pytest.raises(UsageError, match=r"'no.json' does not exist; write it with --write-baseline no.json"):
        labelguard.scan("nowhere", baseline="no.json")


@pytest.mark.parametrize("name", ["notes.json", "folder.json", "b.txt", "labelguard.toml", "labelguard-receipt.json", "a.png"])
def test_nothing_else_is_replaced(inside: Path, name: str) -> None:
    (inside / "notes.json").write_text('{"a": 1}')
    (inside / "folder.json").mkdir()
    with pytest.raises(UsageError):
        scanned().write_baseline(name)
    assert (inside / "notes.json").read_text() == '{"a": 1}' and not (inside / "b.txt").exists()


def test_what_has_taken_its_place_meanwhile_stays(inside: Path) -> None:
    report = scanned()
    report.write_baseline("b.json")
    assert may_become_baseline("b.json") and may_become_baseline("none.json")
    (inside / "link.json").symlink_to("b.json")
    (inside / "other.json").write_text("{}")
    assert not may_become_baseline("link.json") and not may_become_baseline("other.json") and not may_become_baseline(".")


def test_one_that_is_too_large_is_not_read(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned().write_baseline("b.json")
    monkeypatch.setattr(baseline, "_LARGEST", (inside / "b.json").stat().st_size)
    assert scanned(baseline="b.json").exit_code() == 0
    monkeypatch.setattr(baseline, "_LARGEST", (inside / "b.json").stat().st_size - 1)
    with pytest.raises(UsageError, match="it has more than"):
        scanned(baseline="b.json")


@pytest.mark.parametrize("worst_first", [True, False])
def test_findings_with_one_mark_are_known_by_the_worst(worst_first: bool) -> None:
    found = [Finding("LG101", "out-of-range", severity, "m", path="a.png", ids=(9,)) for severity in (Severity.ERROR, Severity.NOTE)]
    entry, = baseline_of(found if worst_first else found[::-1], "b.json", {}).findings.values()
    assert (entry.severity, entry.count) == (Severity.ERROR, 2)


def test_on_a_full_disk_the_old_one_stays(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = scanned(select="LG201")
    report.write_baseline("b.json")
    before = (inside / "b.json").read_bytes()
    monkeypatch.setattr(whole_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(IncompleteError, match="no space left on device"):
        scanned().write_baseline("b.json")
    assert (inside / "b.json").read_bytes() == before and len([*inside.iterdir()]) == 2
    with pytest.raises(IncompleteError, match="there is no folder"):
        report.write_baseline("no/b.json")


def test_a_scan_that_was_broken_off_leaves_none(inside: Path) -> None:
    from labelguard.runs.options import ScanOptions
    from labelguard.runs.plan import plan_scan
    from labelguard.runs.scan import Scan
    scan = Scan(plan_scan(["masks"], ScanOptions(num_classes=3)))
    next(iter(scan))
    with pytest.raises(IncompleteError, match="since the scan is incomplete"):
        scan.result().write_baseline("b.json")
    assert not (inside / "b.json").exists()

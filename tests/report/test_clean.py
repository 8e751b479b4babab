"""Clean is what every check has looked at; whatever is missing of that is said where the result is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import labelguard
from labelguard.cli import main
from tests.drawn import bands, folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "b.png": bands(1, 2, 0)})


def test_what_every_check_has_looked_at_is_clean(masks: Path) -> None:
    report = labelguard.scan(masks, num_classes=3)
    assert report.clean and repr(report) == "ScanReport(2 files, clean)" and "\nClean: no findings." in str(report)
    assert (report.to_dict()["clean"], report.to_dict()["reservations"]) == (True, [])


def test_without_a_class_count_nothing_is_called_clean(masks: Path) -> None:
    done = CliRunner().invoke(main, ["scan", str(masks)])
    assert done.exit_code == 0 and "\nNo findings; 3 checks need --num-classes.\n" in done.stdout and "Clean" not in done.stdout
    values = json.loads(CliRunner().invoke(main, ["scan", str(masks), "--format", "json"]).stdout)
    assert (values["clean"], values["reservations"]) == (False, ["3 checks need --num-classes"])
    splits = labelguard.scan_splits({"train": masks, "val": folder(masks.parent / "val", {"c.png": bands(0, 2, 1)})})
    assert not splits.clean and any("need --num-classes" in reservation for reservation in splits.reservations())


MISSING = {
    "a check that needs a declaration": ({"select": "LG101"}, "1 check needs --num-classes"),
    "checks that are not selected": ({"num_classes": 3, "ignore": "LG203,LG204"}, "2 checks were not selected"),
    "a check that was asked for, and cannot be judged": ({"num_classes": 3, "select": "LG302"}, "1 check could not be judged"),
    "masks that are not selected": ({"num_classes": 3, "include": "a.png", "ignore": "LG204"}, "1 mask was not selected"),
    "masks that cannot be read": ({"num_classes": 3, "select": "LG2"}, "1 file could not be read"),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_was_not_looked_at_is_said(masks: Path, case: str) -> None:
    options, reservation = MISSING[case]
    if "read" in case:
        (masks / "damaged.png").write_bytes(b"damaged")
    keywords: dict[str, Any] = dict(options)
    report = labelguard.scan(masks, **keywords)
    verdict = next(line for line in str(report).splitlines() if line.startswith("No findings; "))
    assert not report.clean and not report.findings and reservation in report.reservations() and reservation in verdict
    assert "clean" not in repr(report).lower() and reservation in repr(report)


def test_a_check_on_images_that_cannot_be_judged_is_missed_only_where_images_are_given(masks: Path) -> None:
    images = folder(masks.parent / "images", {"a.png": bands(10, 20, 30), "b.png": bands(20, 30, 10)})
    report = labelguard.scan(masks, images=images, num_classes=3)  # two pairs are too few to say whether they are aligned
    assert [check.code for check in report.skipped_checks if check.asked] == ["LG305"]
    assert "1 check could not be judged" in report.reservations() and "Not checked: LG305 (" in str(report)


def test_reservations_stand_beside_warnings_and_notes_but_not_beside_errors(masks: Path) -> None:
    folder(masks, {"c.png": bands(0)})
    mild = str(labelguard.scan(masks, num_classes=3, select="LG2"))
    assert "0 errors, 1 warning, 0 notes; " in mild and "checks were not selected." in mild
    wrong = labelguard.scan(masks, num_classes=2, select="LG101,LG106")
    assert wrong.count("error") and any(line.endswith(" notes.") for line in str(wrong).splitlines()) and any(wrong.reservations())


def test_a_dry_run_that_would_refuse_ids_is_not_clean(masks: Path) -> None:
    report = labelguard.remap(masks, shift=0, merge={0: 1, 1: 0}, num_classes=3, dry_run=True)
    refused = labelguard.remap(masks, table={0: 0, 1: 1}, num_classes=3, dry_run=True)
    assert report.clean and not refused.clean and [*refused.reservations()] == ["1 id would be refused"]

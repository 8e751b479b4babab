"""LG001: damaged files, and files that are not images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelguard import scan
from labelguard.checks import unreadable as check
from labelguard.finding import Severity
from tests.checks.scenes import mask, png

GOOD = png(mask("0 1 2 / 2 1 0"))


def test_the_reason_becomes_a_sentence_about_the_file() -> None:
    finding = check.unreadable("a/b.png", "is empty (0 bytes)")
    assert str(finding) == "a/b.png: LG001 unreadable: Is empty (0 bytes)."
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("content", [
    b"", GOOD[:-20], GOOD[:30], b"\0" * 100, b"no image", GOOD.replace(b"IDAT", b"IDAT\xff", 1), GOOD.replace(b"\n", b"\r\n"),
], ids=["empty", "cut", "cut early", "zeros", "text", "a byte too many", "sent as text"])
def test_a_damaged_file_is_found_and_does_not_end_the_scan(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.png").write_bytes(content)
    (tmp_path / "good.png").write_bytes(GOOD)
    report = scan(tmp_path, select=["LG001"], jobs=1)
    assert [(finding.code, finding.path) for finding in report.findings] == [("LG001", "bad.png")]
    assert (report.complete, report.data.unreadable, len(report.data.records)) == (True, 1, 1)


def test_it_leaves_good_files_alone(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(GOOD)
    np.save(tmp_path / "b.npy", mask("0 70000", "int32"))
    (tmp_path / "c.tif").write_bytes(GOOD)  # a wrong name is another matter
    assert scan(tmp_path, select=["LG001"], jobs=1).findings == ()


def test_it_can_be_left_out_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"")
    report = scan(tmp_path, ignore=["unreadable"], jobs=1)
    assert report.findings == ()
    assert report.data.unreadable == 1


def test_a_file_with_more_ids_than_any_mask_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    for number in (65_536, 65_537):
        np.save(tmp_path / f"{number}.npy", np.arange(number).reshape(1, -1))
    report = scan(tmp_path, select="LG001", jobs=1)
    finding, = report.findings
    assert finding.path == "65537.npy" and finding.message.startswith("Holds 65,537 different ids") and not finding.fix
    assert [record.path for record in report.data.records] == ["65536.npy"]


def test_masks_whose_ids_fill_what_there_is_for_them_are_refused_and_the_scan_goes_on(tmp_path: Path) -> None:
    for number in range(3):
        np.save(tmp_path / f"{number}.npy", np.arange(2000 * number, 2000 * number + 2000).reshape(50, 40))
    np.save(tmp_path / "3.npy", np.arange(2000).reshape(50, 40))
    report = scan(tmp_path, select="LG001", jobs=1, max_memory=1_400_000)
    assert [finding.path for finding in report.findings] == ["2.npy"] and "--max-memory" in report.findings[0].message
    assert report.data.unreadable == 1 and len(report.data.records) == 3

"""Going on in a folder that holds more than its records name, or other than they say: it is named, and nobody's work is overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import labelguard
from labelguard import IncompleteError, LabelSpec
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.receipt import FILE_NAME
from labelguard.files.selection import Selection
from labelguard.runs.rewrite import Rewrite
from labelguard.runs.write_plan import WriteOptions, plan_write
from tests.drawn import bands, folder, write_png
from tests.runs.rewriting import SHIFT, broken_off, rewrite, tree


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3), "sub/deep/c.png": bands(12)})


def forget(out: Path) -> None:
    """What `kill -9` leaves before files are recorded: the journal says only what was begun."""
    journal = out / JOURNAL_NAME
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])


def test_what_no_record_names_is_named_kept_and_not_in_the_receipt(masks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken_off(masks, out, after=3)
    forget(out)
    (out / ".DS_Store").write_bytes(b"of no interest")
    left = (out / "a.png").read_bytes()
    (masks / "a.png").unlink()
    write_png(masks / "sub" / "b.png", bands(77))
    report = rewrite(masks, out, resume=True)
    assert report.remarks == (f"2 files lie in '{out}' that this run has not written and no record names: a.png and sub/b.png. Nothing was "
                              "removed, and the receipt does not name them.",)
    assert (out / "a.png").read_bytes() == left and json.loads((out / FILE_NAME).read_bytes())["files"].keys() == {"sub/deep/c.png"}


def test_the_journal_stays_while_files_lie_there_that_no_receipt_names(masks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken_off(masks, out)
    (masks / "a.png").unlink()
    for name in ("sub/b.png", "sub/deep/c.png"):
        write_png(masks / name, bands(77))
    report = rewrite(masks, out, resume=True)
    assert not report.written and (out / JOURNAL_NAME).exists() and not (out / FILE_NAME).exists()
    assert "1 file of the earlier run lies in" in report.remarks[0]
    write_png(masks / "sub" / "b.png", bands(2))
    assert rewrite(masks, out, resume=True).complete and (out / FILE_NAME).exists() and not (out / JOURNAL_NAME).exists()


def test_an_empty_journal_beside_files_is_refused(masks: Path, tmp_path: Path) -> None:
    broken_off(masks, tmp_path / "out", after=2)
    (tmp_path / "out" / JOURNAL_NAME).write_bytes(b"")
    before = tree(tmp_path / "out")
    with pytest.raises(IncompleteError, match="does not say what was begun"):
        rewrite(masks, tmp_path / "out", resume=True)
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize("source_changed", [False, True])
def test_a_mask_that_somebody_has_changed_since_is_left_as_it_is(
        masks: Path, tmp_path: Path, finished: bool, source_changed: bool) -> None:
    out = tmp_path / "out"
    if finished:
        rewrite(masks, out)
    else:
        broken_off(masks, out, after=2)
    write_png(out / "a.png", bands(7))
    edited = (out / "a.png").read_bytes()
    if source_changed:
        write_png(masks / "a.png", bands(5))
    for _ in range(2):
        report = rewrite(masks, out, resume=True)
        assert report.exit_code() == 3 and (out / "a.png").read_bytes() == edited and len(report.written) == 2
        assert f"'{out}/a.png' was changed after it was written, and is left as it is; remove it to have it made anew." in str(report)
        assert report.remarks == ()
    scanned = labelguard.scan(out, num_classes=12, ignore_index=255)
    assert [finding.path for finding in scanned.findings if finding.code == "LG012"] == ["a.png"]
    (out / "a.png").unlink()
    assert rewrite(masks, out, resume=True).exit_code() == 0
    rewrite(masks, tmp_path / "whole")
    assert tree(out) == tree(tmp_path / "whole")


def test_a_copy_that_somebody_has_changed_since_is_left_as_it_is(masks: Path, tmp_path: Path) -> None:
    def part(resume: bool) -> Rewrite:
        done = Rewrite(plan_write("remap", masks, tmp_path / "out", SHIFT, LabelSpec(12), WriteOptions(resume=resume), Selection("sub/")))
        list(done)
        return done

    part(resume=False)
    write_png(tmp_path / "out" / "a.png", bands(7))
    assert part(resume=True).result().exit_code() == 3
    assert labelguard.read(tmp_path / "out" / "a.png").labels[0, 0] == 7


def test_a_finished_folder_of_another_version_is_not_signed_by_this_one(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    receipt = tmp_path / "out" / FILE_NAME
    receipt.write_text(json.dumps({**json.loads(receipt.read_bytes()), "labelguard": "0.0.9"}))
    before = tree(tmp_path / "out")
    with pytest.raises(IncompleteError, match=r"was written by labelguard 0\.0\.9, and this is .*--out"):
        rewrite(masks, tmp_path / "out", resume=True)
    assert tree(tmp_path / "out") == before


def test_the_receipt_has_reached_the_disk_before_the_journal_goes(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, bool]] = []
    whole = os.fsync

    def watched(descriptor: int) -> None:
        whole(descriptor)
        seen.append(((tmp_path / "out" / FILE_NAME).exists(), (tmp_path / "out" / JOURNAL_NAME).exists()))

    monkeypatch.setattr(os, "fsync", watched)
    rewrite(masks, tmp_path / "out")
    assert seen[-2:] == [(False, True), (True, True)] or (os.name != "posix" and seen[-1] == (False, True))

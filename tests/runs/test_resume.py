"""Going on with a run that was broken off: what is believed of it, what is made anew, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import labelguard
from labelguard import IncompleteError, Remap, Resize, UsageError
from labelguard.files import folder_lock
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.receipt import FILE_NAME
from labelguard.runs import rewrite_mask
from tests.drawn import bands, folder, write_png
from tests.runs.rewriting import broken_off, rewrite, rewriting, tree

TEMPORARY = ".labelguard-tmp-0123456789abcdef"


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3), "sub/deep/c.png": bands(12)})


@pytest.fixture
def half(masks: Path, tmp_path: Path) -> Path:
    """The output of a run that was broken off once its journal had recorded two of three files."""
    broken_off(masks, tmp_path / "half", after=2)
    return tmp_path / "half"


def place(path: Path) -> tuple[int, int]:
    """Where a file lies on the disk, and when it was written: another place and time for a file that was made anew."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def test_resuming_does_the_rest_and_leaves_the_same_bytes(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "whole")
    broken_off(masks, tmp_path / "half")
    assert (tmp_path / "half" / JOURNAL_NAME).exists() and not (tmp_path / "half" / FILE_NAME).exists()
    (tmp_path / "half" / TEMPORARY).write_bytes(b"half")
    rewrite(masks, tmp_path / "half", resume=True)
    assert tree(tmp_path / "half") == tree(tmp_path / "whole")


def test_resuming_in_a_folder_of_others_is_refused(masks: Path, tmp_path: Path) -> None:
    write_png(tmp_path / "out" / "a.png", bands(7))
    with pytest.raises(UsageError, match="nothing to resume"):
        rewrite(masks, tmp_path / "out", resume=True)
    assert labelguard.read(tmp_path / "out" / "a.png").labels[0, 0] == 7


def test_resuming_other_work_is_refused(masks: Path, tmp_path: Path) -> None:
    broken_off(masks, tmp_path / "half")
    with pytest.raises(IncompleteError, match="begun with other options"):
        rewrite(masks, tmp_path / "half", Remap(-1, {0: 5}, num_classes=12, ignore_index=255), resume=True)


def test_resuming_with_another_source_is_refused_and_says_which_it_was(masks: Path, half: Path, tmp_path: Path) -> None:
    before = tree(half)
    masks.rename(tmp_path / "moved")
    other = folder(tmp_path / "other", {"a.png": bands(5), "sub/b.png": bands(6), "sub/deep/c.png": bands(7)})
    for source in (other, tmp_path / "moved", other / "a.png"):
        with pytest.raises(IncompleteError, match=r"half' was begun from another source, '.*/masks'\. Repeat that with --resume, or"):
            rewrite(source, half, resume=True)
    assert tree(half) == before


def test_the_same_source_by_another_path_is_the_same(masks: Path, half: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(masks / "sub")
    assert rewrite("..", half, resume=True).remarks == ()


def test_a_finished_folder_is_not_mixed_with_other_masks(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    before = tree(tmp_path / "out")
    same_names = folder(tmp_path / "other", {"a.png": bands(5), "sub/b.png": bands(6), "sub/deep/c.png": bands(7)})
    for source in (same_names, folder(tmp_path / "third", {"x.png": bands(3)})):
        with pytest.raises(IncompleteError, match="is finished, and was made from other masks: no file of"):
            rewrite(source, tmp_path / "out", resume=True)
    assert tree(tmp_path / "out") == before


def test_one_mask_that_is_the_same_is_enough_to_go_on_with_a_finished_folder(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    write_png(masks / "a.png", bands(5))
    write_png(masks / "sub" / "b.png", bands(6))
    write_png(masks / "new.png", bands(7))
    kept = place(tmp_path / "out" / "sub" / "deep" / "c.png")
    report = rewrite(masks, tmp_path / "out", resume=True)
    assert report.remarks == ("2 sources have changed since the earlier run, and what was written from them was written anew: a.png "
                              "and sub/b.png.",)
    assert "resumed: 2 sources have changed since the earlier run," in str(report) and report.to_dict()["remarks"] == [*report.remarks]
    rewrite(masks, tmp_path / "whole")
    assert tree(tmp_path / "out") == tree(tmp_path / "whole") and place(tmp_path / "out" / "sub" / "deep" / "c.png") == kept


@pytest.mark.parametrize("finished", [False, True])
def test_what_no_longer_has_a_source_is_named_kept_and_not_in_the_receipt(
        masks: Path, half: Path, tmp_path: Path, finished: bool) -> None:
    if finished:
        rewrite(masks, half, resume=True)
    left = (half / "a.png").read_bytes()
    (masks / "a.png").unlink()
    (masks / "sub" / "b.png").write_bytes(b"damaged")
    report = rewrite(masks, half, resume=True)
    remark, = report.remarks
    assert f"2 files of the earlier run lie in '{half}' whose source is gone or refused now: a.png and sub/b.png. Nothing" in remark
    assert (half / "a.png").read_bytes() == left and json.loads((half / FILE_NAME).read_bytes())["files"].keys() == {"sub/deep/c.png"}
    scanned = labelguard.scan(half, num_classes=12, ignore_index=255)
    assert [tuple(finding.files) for finding in scanned.findings if finding.code == "LG012"] == [("a.png", "sub/b.png")]


def test_what_is_not_finished_is_no_source(masks: Path, half: Path, tmp_path: Path) -> None:
    other = Remap(1, num_classes=13, ignore_index=255)
    for source in (half, half / "sub", half / "a.png"):
        with pytest.raises(UsageError, match=r"was broken off: .*Finish that first.*--again"):
            rewrite(source, tmp_path / "twice", other)
    assert rewrite(half, tmp_path / "twice", other, again=True).complete
    assert rewrite(half, tmp_path / "small", Resize(4, 4)).complete  # a resize moves no ids


def test_two_runs_at_once_do_not_meet(masks: Path, tmp_path: Path) -> None:
    steps = iter(rewriting(masks, tmp_path / "out", jobs=1))
    next(steps)
    for options in ({}, {"resume": True}):
        with pytest.raises(IncompleteError, match=rf"Another run of labelguard \(process {os.getpid()} on .*is writing to"):
            rewrite(masks, tmp_path / "out", Remap(1, num_classes=14, ignore_index=255), **options)
    list(steps)
    rewrite(masks, tmp_path / "whole")
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


def test_a_run_that_was_planned_while_another_wrote_looks_again(masks: Path, tmp_path: Path) -> None:
    late = rewriting(masks, tmp_path / "out")
    rewrite(masks, tmp_path / "out", Remap(1, num_classes=14, ignore_index=255))
    before = tree(tmp_path / "out")
    with pytest.raises(UsageError, match="already holds something"):
        list(late)
    assert tree(tmp_path / "out") == before


def test_where_there_are_no_locks_a_second_run_is_noticed_by_the_journal(
        masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_lock, "_lock", lambda *_: None)
    steps = iter(rewriting(masks, tmp_path / "out", jobs=1))
    next(steps)
    rewrite(masks, tmp_path / "out", resume=True)
    with pytest.raises(IncompleteError, match="journal.* cannot be written"):
        list(steps)


def test_resuming_a_finished_folder_with_other_options_is_refused(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    before = tree(tmp_path / "out")
    with pytest.raises(IncompleteError, match=r"was made with other options: merge was .* and is \(\(0, 5\),\)\."):
        rewrite(masks, tmp_path / "out", Remap(-1, {0: 5}, num_classes=12, ignore_index=255), resume=True)
    assert tree(tmp_path / "out") == before


def test_what_is_done_is_not_done_again(masks: Path, half: Path) -> None:
    before = place(half / "a.png"), place(half / "sub" / "b.png")
    report = rewrite(masks, half, resume=True)
    assert (place(half / "a.png"), place(half / "sub" / "b.png")) == before
    assert len(report.written) == 3 and report.complete


def test_a_source_that_was_changed_in_between_is_done_again(masks: Path, half: Path, tmp_path: Path) -> None:
    write_png(masks / "a.png", bands(3, 2))
    other = place(half / "sub" / "b.png")
    rewrite(masks, half, resume=True)
    rewrite(masks, tmp_path / "whole")
    assert labelguard.read(half / "a.png").labels[[0, -1], 0].tolist() == [2, 1]
    assert tree(half) == tree(tmp_path / "whole") and place(half / "sub" / "b.png") == other


@pytest.mark.parametrize("content", [b"torn", b"", None])
def test_an_output_that_is_torn_or_gone_is_made_anew(masks: Path, half: Path, tmp_path: Path, content: bytes | None) -> None:
    if content is None:
        (half / "a.png").unlink()
    else:
        (half / "a.png").write_bytes(content)
    rewrite(masks, half, resume=True)
    rewrite(masks, tmp_path / "whole")
    assert tree(half) == tree(tmp_path / "whole")


@pytest.mark.parametrize("torn", [b'{"name": "sub/deep/c.p', b'{"name": "sub/deep/c.png", "source": "su', b"\0" * 512, b"\xff\xfe"])
def test_a_journal_with_a_torn_line_is_believed_up_to_there(masks: Path, half: Path, tmp_path: Path, torn: bytes) -> None:
    before = place(half / "a.png")
    with (half / JOURNAL_NAME).open("ab") as journal:
        journal.write(torn)
    rewrite(masks, half, resume=True)
    rewrite(masks, tmp_path / "whole")
    assert tree(half) == tree(tmp_path / "whole") and place(half / "a.png") == before


def test_a_file_half_written_when_the_run_was_killed_is_removed(masks: Path, half: Path) -> None:
    left = half / "sub" / TEMPORARY
    left.write_bytes(b"half")
    rewrite(masks, half, resume=True)
    assert not left.exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_after_kill_9_resume_leaves_what_an_uninterrupted_run_leaves() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.runs.kills", "--kills", "3", "--files", "60"], capture_output=True, text=True,
                          cwd=Path(__file__).parents[2])
    assert done.returncode == 0 and "3 rounds held" in done.stdout, done.stderr


def test_what_is_done_is_not_decoded_again(masks: Path, half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    for function in (rewrite_mask.facts_of, rewrite_mask.decode_with_facts):
        def watched(data: bytes, name: str, function: Callable[..., Any] = function) -> Any:
            looked_at.append(name)
            return function(data, name)
        monkeypatch.setattr(rewrite_mask, function.__name__, watched)
    assert len(rewrite(masks, half, resume=True, jobs=1).written) == 3
    assert set(looked_at) == {"sub/deep/c.png"}

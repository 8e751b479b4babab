"""Rewriting a folder: every file in its place, whole, accounted for, and never in or onto its source."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import labelguard
from labelguard import IncompleteError, Pipeline, Remap, Resize, UsageError
from labelguard.files.folder_lock import LOCK_NAME
from labelguard.files.receipt import FILE_NAME
from tests.drawn import bands, folder, write_png
from tests.runs.rewriting import broken_off, rewrite, rewriting, tree


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3), "sub/deep/c.png": bands(12)})


def test_every_file_is_written_in_its_place_and_the_source_is_left_alone(masks: Path, tmp_path: Path) -> None:
    before = tree(masks)
    done = rewrite(masks, tmp_path / "out")
    assert sorted(tree(tmp_path / "out")) == ["a.png", FILE_NAME, "sub/b.png", "sub/deep/c.png"] and tree(masks) == before
    assert labelguard.read(tmp_path / "out" / "a.png").labels[[0, 20, 39], 0].tolist() == [11, 0, 255]
    assert done.complete and not done.findings and sum(done.before.values()) == sum(done.after.values()) == 3600


def test_the_receipt_accounts_for_every_pixel_and_holds_no_time(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "one")
    rewrite(masks, tmp_path / "two", jobs=1)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    receipt = json.loads((tmp_path / "one" / FILE_NAME).read_bytes())
    assert receipt["remaps"] is True and receipt["num_classes"] == 12
    assert receipt["table"] == {"0": 11, "1": 0, "2": 1, "3": 2, "12": 11, "255": 255}
    assert receipt["files"]["a.png"]["before"] == {"0": 420, "1": 420, "255": 360}
    assert receipt["files"]["a.png"]["after"] == {"0": 420, "11": 420, "255": 360}


def test_a_file_with_an_id_out_of_place_is_not_written_and_the_others_are(masks: Path, tmp_path: Path) -> None:
    write_png(masks / "bad.png", bands(0, 14))
    done = rewrite(masks, tmp_path / "out")
    (finding,) = done.findings
    assert (finding.code, finding.path, finding.ids) == ("LG101", "bad.png", (14,)) and done.unwritten == 1
    assert not (tmp_path / "out" / "bad.png").exists() and (tmp_path / "out" / "a.png").exists()


def test_files_that_hold_no_ids_are_findings(masks: Path, tmp_path: Path) -> None:
    (masks / "broken.png").write_bytes(b"no image")
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (9, 9, 3), np.uint8)).save(masks / "colors.png")
    np.save(masks / "fractions.npy", np.full((3, 3), 0.5))
    findings = rewrite(masks, tmp_path / "out").findings
    assert [(finding.code, finding.path) for finding in findings] == [
        ("LG001", "broken.png"), ("LG003", "colors.png"), ("LG006", "fractions.npy")]


def test_when_nothing_can_be_written_nothing_is_left_behind(tmp_path: Path) -> None:
    source = folder(tmp_path / "masks", {"a.png": bands(99)})
    done = rewrite(source, tmp_path / "out")
    assert done.unwritten == 1 and not (tmp_path / "out").exists()


def test_output_in_or_onto_the_source_is_refused(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for out in ("masks", "masks/out", "./masks/../masks", str(masks / "sub")):
        with pytest.raises(UsageError, match="lies in the source"):
            rewrite("masks", out)


def test_an_output_that_holds_something_is_refused(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    rewrite(masks, tmp_path / "out")
    with pytest.raises(UsageError, match="already holds something"):
        rewrite(masks, tmp_path / "out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(IncompleteError, match="is a file"):
        rewrite(masks, tmp_path / "file")


def test_two_sources_for_one_target_are_refused_before_anything_is_written(masks: Path, tmp_path: Path) -> None:
    Image.fromarray(bands(1, 2)).save(masks / "a.bmp")
    with pytest.raises(UsageError, match=r"'a.bmp' and 'a.png' would both be written to 'a.png'"):
        rewrite(masks, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_second_remap_is_refused_also_of_a_folder_within(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    for source in ("out", "out/sub", "out/a.png"):
        with pytest.raises(UsageError, match=r"was remapped before.*--again"):
            rewrite(tmp_path / source, tmp_path / "twice")
    assert rewrite(tmp_path / "out", tmp_path / "twice", Remap(1, {11: 0}, num_classes=12, ignore_index=255), again=True).complete
    assert rewrite(tmp_path / "out", tmp_path / "small", Resize(4, 4)).complete  # a resize moves no ids


def test_a_damaged_receipt_is_said(masks: Path, tmp_path: Path) -> None:
    (masks / FILE_NAME).write_text("{")
    with pytest.raises(IncompleteError, match="receipt .* is damaged"):
        rewrite(masks, tmp_path / "out")


def test_colors_of_a_palette_file_move_with_their_ids(tmp_path: Path) -> None:
    image = Image.fromarray(bands(0, 1, 2)).convert("P")
    image.putdata(bands(0, 1, 2).ravel().tolist())
    image.putpalette([0, 0, 0, 10, 10, 10, 20, 20, 20])
    (tmp_path / "masks").mkdir()
    image.save(tmp_path / "masks" / "a.png")
    rewrite(tmp_path / "masks", tmp_path / "out", Remap(-1, {0: "last"}, num_classes=3))
    mask = labelguard.read(tmp_path / "out" / "a.png")
    assert mask.stored.channels == "palette" and mask.labels[[0, 20, 39], 0].tolist() == [2, 0, 1]
    assert mask.stored.palette[:9] == bytes([10] * 3 + [20] * 3 + [0] * 3)


def test_a_pipeline_that_resizes_reports_classes_that_vanish(tmp_path: Path) -> None:
    labels = bands(0, height=40)
    labels[:, 7] = 5
    source = folder(tmp_path / "masks", {"a.png": labels})
    done = rewrite(source, tmp_path / "out", Pipeline([Remap(1, num_classes=7), Resize(10, 10)]))
    assert [(finding.code, finding.ids) for finding in done.findings] == [("LG306", (6,))]


def test_making_a_rewrite_does_no_work_and_its_result_may_be_taken_at_any_time(masks: Path, tmp_path: Path) -> None:
    untouched = rewriting(masks, tmp_path / "out").result()
    assert (untouched.done, untouched.files, untouched.complete) == (0, 3, False) and not (tmp_path / "out").exists()
    half = broken_off(masks, tmp_path / "out", after=2)
    assert (half.done, half.files, half.complete, half.exit_code()) == (2, 3, False, 130)
    assert "INCOMPLETE: interrupted after 2 of 3 files" in str(half) and "--resume" in str(half)


def test_each_step_says_how_much_is_done(masks: Path, tmp_path: Path) -> None:
    (masks / "b.png").write_bytes(b"damaged")
    assert list(rewriting(masks, tmp_path / "out")) == [
        ("writing", 1, 4, "a.png", 0), ("writing", 2, 4, "b.png", 1), ("writing", 3, 4, "sub/b.png", 1),
        ("writing", 4, 4, "sub/deep/c.png", 1)]


def test_what_a_run_left_that_was_killed_at_once_is_no_hindrance(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "whole")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".labelguard-tmp-0123456789abcdef").write_bytes(b"half a line")
    (tmp_path / "out" / LOCK_NAME).write_bytes(b"7 on here\n")
    assert rewrite(masks, tmp_path / "out").complete
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Never

import numpy as np
import pytest
from PIL import Image

import labelguard
from labelguard import Pipeline, Remap, Resize
from labelguard.errors import IncompleteError, UsageError
from labelguard.files.receipt import FILE_NAME, JOURNAL_NAME, Job, read_receipt
from labelguard.files.write import TEMPORARY
from labelguard.runs.rewrite import Transform
from tests.drawn import bands, folder, write_png

SHIFT = Remap(-1, {0: "last"}, num_classes=12, ignore_index=255)


def transform(source: Path | str, out: Path | str, stage: Pipeline | Remap | Resize = SHIFT, **options: Any) -> Transform:
    made = Transform(str(source), str(out), stage, Job("remap", repr(stage), stage.moves_ids, 12), **options)
    list(made)
    return made


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3), "sub/deep/c.png": bands(12)})


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_every_file_is_written_in_its_place_and_the_source_is_left_alone(masks: Path, tmp_path: Path) -> None:
    before = tree(masks)
    done = transform(masks, tmp_path / "out")
    assert sorted(tree(tmp_path / "out")) == ["a.png", FILE_NAME, "sub/b.png", "sub/deep/c.png"] and tree(masks) == before
    assert labelguard.read(tmp_path / "out" / "a.png").labels[[0, 20, 39], 0].tolist() == [11, 0, 255]
    assert done.complete and not done.findings and done.totals()[0].total() == done.totals()[1].total() == 3600


def test_the_receipt_accounts_for_every_pixel_and_holds_no_time(masks: Path, tmp_path: Path) -> None:
    transform(masks, tmp_path / "one")
    transform(masks, tmp_path / "two", jobs=1)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    receipt = read_receipt(tmp_path / "one")
    assert receipt["remaps"] is True and receipt["num_classes"] == 12
    assert receipt["table"] == {"0": 11, "1": 0, "2": 1, "3": 2, "12": 11, "255": 255}
    assert receipt["files"]["a.png"]["before"] == {"0": 420, "1": 420, "255": 360}
    assert receipt["files"]["a.png"]["after"] == {"0": 420, "11": 420, "255": 360}


def test_a_file_with_an_id_out_of_place_is_not_written_and_the_others_are(masks: Path, tmp_path: Path) -> None:
    write_png(masks / "bad.png", bands(0, 14))
    done = transform(masks, tmp_path / "out")
    (finding,) = done.all_findings()
    assert (finding.code, finding.path, finding.ids) == ("LG101", "bad.png", (14,)) and done.unwritten == 1
    assert not (tmp_path / "out" / "bad.png").exists() and (tmp_path / "out" / "a.png").exists()


def test_files_that_hold_no_ids_are_findings(masks: Path, tmp_path: Path) -> None:
    (masks / "broken.png").write_bytes(b"no image")
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (9, 9, 3), np.uint8)).save(masks / "colors.png")
    np.save(masks / "fractions.npy", np.full((3, 3), 0.5))
    findings = transform(masks, tmp_path / "out").all_findings()
    assert [(finding.code, finding.path) for finding in findings] == [
        ("LG001", "broken.png"), ("LG003", "colors.png"), ("LG006", "fractions.npy")]


def test_when_nothing_can_be_written_nothing_is_left_behind(tmp_path: Path) -> None:
    source = folder(tmp_path / "masks", {"a.png": bands(99)})
    done = transform(source, tmp_path / "out")
    assert done.unwritten == 1 and not (tmp_path / "out").exists()


def test_output_in_or_onto_the_source_is_refused(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for out in ("masks", "masks/out", "./masks/../masks", str(masks / "sub")):
        with pytest.raises(UsageError, match="lies in the source"):
            transform("masks", out)


def test_an_output_that_holds_something_is_refused(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    transform(masks, tmp_path / "out")
    with pytest.raises(UsageError, match="holds something already"):
        transform(masks, tmp_path / "out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(IncompleteError, match="is a file"):
        transform(masks, tmp_path / "file")


def test_two_sources_for_one_target_are_refused_before_anything_is_written(masks: Path, tmp_path: Path) -> None:
    Image.fromarray(bands(1, 2)).save(masks / "a.bmp")
    with pytest.raises(UsageError, match=r"'a.bmp' and 'a.png' would both be written to 'a.png'"):
        transform(masks, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_second_remap_is_refused_also_of_a_folder_within(masks: Path, tmp_path: Path) -> None:
    transform(masks, tmp_path / "out")
    for source in ("out", "out/sub", "out/a.png"):
        with pytest.raises(UsageError, match=r"was remapped before.*--again"):
            transform(tmp_path / source, tmp_path / "twice")
    assert transform(tmp_path / "out", tmp_path / "twice", Remap(1, {11: 0}, num_classes=12, ignore_index=255), again=True).complete
    assert transform(tmp_path / "out", tmp_path / "small", Resize(4, 4)).complete  # a resize moves no ids


def test_a_damaged_receipt_is_said(masks: Path, tmp_path: Path) -> None:
    (masks / FILE_NAME).write_text("{")
    with pytest.raises(IncompleteError, match="receipt .* is damaged"):
        transform(masks, tmp_path / "out")


def test_resuming_does_the_rest_and_leaves_the_same_bytes(masks: Path, tmp_path: Path) -> None:
    transform(masks, tmp_path / "whole")
    half = Transform(str(masks), str(tmp_path / "half"), SHIFT, Job("remap", repr(SHIFT), True, 12), jobs=1)
    reports = iter(half)
    next(reports)
    reports.close()
    assert (tmp_path / "half" / JOURNAL_NAME).exists() and not (tmp_path / "half" / FILE_NAME).exists()
    (tmp_path / "half" / f"a.png{TEMPORARY}").write_bytes(b"half")
    transform(masks, tmp_path / "half", resume=True)
    assert tree(tmp_path / "half") == tree(tmp_path / "whole")


def test_resuming_repairs_what_was_changed_in_between(masks: Path, tmp_path: Path) -> None:
    transform(masks, tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "half")
    (tmp_path / "half" / "a.png").write_bytes(b"torn")
    transform(masks, tmp_path / "half", resume=True)
    assert tree(tmp_path / "half") == tree(tmp_path / "whole")


def test_resuming_in_a_folder_of_others_is_refused(masks: Path, tmp_path: Path) -> None:
    write_png(tmp_path / "out" / "a.png", bands(7))
    with pytest.raises(UsageError, match="nothing to resume"):
        transform(masks, tmp_path / "out", resume=True)
    assert labelguard.read(tmp_path / "out" / "a.png").labels[0, 0] == 7


def test_resuming_other_work_is_refused(masks: Path, tmp_path: Path) -> None:
    half = Transform(str(masks), str(tmp_path / "half"), SHIFT, Job("remap", repr(SHIFT), True, 12), jobs=1)
    reports = iter(half)
    next(reports)
    reports.close()
    with pytest.raises(IncompleteError, match="begun with other options"):
        transform(masks, tmp_path / "half", Remap(-1, {0: 5}, num_classes=12, ignore_index=255), resume=True)


def test_resuming_a_finished_folder_with_other_options_is_refused(masks: Path, tmp_path: Path) -> None:
    transform(masks, tmp_path / "out")
    before = tree(tmp_path / "out")
    with pytest.raises(IncompleteError, match="was made with other options"):
        transform(masks, tmp_path / "out", Remap(-1, {0: 5}, num_classes=12, ignore_index=255), resume=True)
    assert tree(tmp_path / "out") == before


def test_colors_of_a_palette_file_move_with_their_ids(tmp_path: Path) -> None:
    image = Image.fromarray(bands(0, 1, 2)).convert("P")
    image.putdata(bands(0, 1, 2).ravel().tolist())
    image.putpalette([0, 0, 0, 10, 10, 10, 20, 20, 20])
    (tmp_path / "masks").mkdir()
    image.save(tmp_path / "masks" / "a.png")
    transform(tmp_path / "masks", tmp_path / "out", Remap(-1, {0: "last"}, num_classes=3))
    mask = labelguard.read(tmp_path / "out" / "a.png")
    assert mask.stored.channels == "palette" and mask.labels[[0, 20, 39], 0].tolist() == [2, 0, 1]
    assert mask.stored.palette[:9] == bytes([10] * 3 + [20] * 3 + [0] * 3)


def test_a_pipeline_that_resizes_reports_classes_that_vanish(tmp_path: Path) -> None:
    labels = bands(0, height=40)
    labels[:, 7] = 5
    source = folder(tmp_path / "masks", {"a.png": labels})
    done = transform(source, tmp_path / "out", Pipeline([Remap(1, num_classes=7), Resize(10, 10)]))
    assert [(finding.code, finding.ids) for finding in done.all_findings()] == [("LG306", (6,))]


def test_a_full_disk_stops_the_run_and_is_no_fault_of_a_file(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import labelguard.runs.rewrite as module

    def full(path: str, data: bytes) -> Never:
        raise IncompleteError(f"'{path}' cannot be written: no space left on device.")

    monkeypatch.setattr(module, "write_whole", full)
    with pytest.raises(IncompleteError, match="no space left"):
        transform(masks, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_after_kill_9_resume_leaves_what_an_uninterrupted_run_leaves(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    source = folder(tmp_path / "masks", {f"{number:03}.png": bands(*rng.integers(0, 13, 9)) for number in range(300)})
    command = [sys.executable, "-m", "labelguard", "remap", str(source), "--shift", "-1", "--merge", "0:last", "--num-classes", "12"]
    subprocess.run([*command, "--out", str(tmp_path / "whole")], check=True, capture_output=True)
    for number in range(4):
        out = tmp_path / f"out{number}"
        process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (out / JOURNAL_NAME).exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(float(rng.uniform(0, 0.08)))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        done = (out / FILE_NAME).exists()
        subprocess.run([*command, "--out", str(out), "--resume"], check=True, capture_output=True)
        assert tree(out) == tree(tmp_path / "whole"), f"killed at {number}, done before: {done}"


def test_the_journal_survives_a_torn_line(masks: Path, tmp_path: Path) -> None:
    half = Transform(str(masks), str(tmp_path / "half"), SHIFT, Job("remap", repr(SHIFT), True, 12), jobs=1)
    reports = iter(half)
    next(reports)
    reports.close()
    with (tmp_path / "half" / JOURNAL_NAME).open("ab") as file:
        file.write(json.dumps({"name": "sub/b.png"}).encode()[:-3])
    assert transform(masks, tmp_path / "half", resume=True).complete

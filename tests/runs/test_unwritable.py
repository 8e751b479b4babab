"""What cannot be written is reported, the rest goes on, and no report says less than what lies in the output folder."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labelguard import IncompleteError, Remap
from labelguard.cli import main
from labelguard.files import output_folder
from labelguard.files.default_folder import default_out
from labelguard.files.receipt import FILE_NAME
from labelguard.runs import rewrite_mask
from labelguard.runs.resize import resize
from tests.drawn import bands, folder
from tests.runs.rewriting import SHIFT, broken_off, rewrite, rewriting, tree


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3), "sub/deep/c.png": bands(12)})


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def remap(masks: Path, out: Path, *more: Any) -> Result:
    return run("remap", masks, "--out", out, "--shift", -1, "--merge", "0:last", "--num-classes", 12, "--ignore-index", 255, "--jobs", 1,
               *more)


def interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


def disk_with_room_for(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, number = output_folder.write_all, [0]

    def write(descriptor: int, data: bytes) -> None:
        if data.startswith(b"\x89PNG"):
            number[0] += 1
        if number[0] > files:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(descriptor, data)

    monkeypatch.setattr(output_folder, "write_all", write)


def test_an_interrupted_run_says_what_lies_there_also_what_an_earlier_one_wrote(
        masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken_off(masks, tmp_path / "out", after=2)
    monkeypatch.setattr(rewrite_mask, "read_bytes", interrupted)
    under_way = rewriting(masks, tmp_path / "out", resume=True, jobs=1)
    with pytest.raises(KeyboardInterrupt):
        list(under_way)
    assert str(under_way.result()).splitlines()[-1] == (
        f"INCOMPLETE: interrupted after 0 of 3 files. 2 whole files lie in {tmp_path / 'out'}. The same command with --resume continues.")
    assert "Nothing was written" not in str(under_way.result())


def test_an_interrupted_run_counts_what_workers_wrote_that_it_has_not_heard_of(masks: Path, tmp_path: Path) -> None:
    folder(masks, {f"{number}.png": bands(1) for number in range(5)})
    half = broken_off(masks, tmp_path / "out", after=1)  # of a batch of two
    assert (half.done, len(half.written), half.present) == (1, 1, 2) and "2 whole files lie in" in str(half)
    assert half.to_dict()["present"] == 2


def test_an_interrupted_run_that_wrote_nothing_leaves_nothing(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reading in ("read_bytes", "remapped_files"):  # of one file, of many
        monkeypatch.setattr(rewrite_mask, reading, interrupted)
    done = remap(masks, tmp_path / "out")
    assert done.exit_code == 130 and "Nothing was written." in done.output and not (tmp_path / "out").exists()


@pytest.mark.parametrize("room", [0, 2])
def test_a_full_disk_is_said_with_what_was_written_and_how_to_go_on(
        masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    with monkeypatch.context() as patched:
        disk_with_room_for(room, patched)
        done = remap(masks, tmp_path / "out")
    assert done.exit_code == 3 and "no space left on device" in done.stderr
    assert ("2 whole files lie in" in done.stdout) == (room == 2) and (tmp_path / "out").exists() == (room == 2)
    assert "Nothing was written" not in done.stdout
    assert remap(masks, tmp_path / "out", *["--resume"] * (room == 2)).exit_code == 0
    rewrite(masks, tmp_path / "whole", SHIFT)
    assert {name: data for name, data in tree(tmp_path / "out").items() if name != FILE_NAME} == {
        name: data for name, data in tree(tmp_path / "whole").items() if name != FILE_NAME}


def test_without_its_receipt_a_run_is_not_complete(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = output_folder.OutputFolder.write

    def write(folder: output_folder.OutputFolder, name: str, data: bytes, **options: bool) -> Any:
        if name == FILE_NAME:
            raise IncompleteError("no space left on device.")
        return whole(folder, name, data, **options)

    with monkeypatch.context() as patched:
        patched.setattr(output_folder.OutputFolder, "write", write)
        done = remap(masks, tmp_path / "out")
    assert done.exit_code == 3 and "Receipt" not in done.stdout and "after 3 of 3 files. 3 whole files lie in" in done.stdout
    assert remap(masks, tmp_path / "out", "--resume").exit_code == 0


def test_one_file_that_cannot_be_written_leaves_the_others_alone(masks: Path, tmp_path: Path) -> None:
    broken_off(masks, tmp_path / "out")
    (tmp_path / "out" / "sub").write_text("in the way")
    report = rewrite(masks, tmp_path / "out", resume=True)
    assert report.exit_code() == 3 and [path for path, _ in report.unwritable] == ["sub/b.png", "sub/deep/c.png"]
    assert f"error: '{tmp_path / 'out'}/sub/b.png' cannot be written: not a directory." in str(report)
    assert "2 files NOT written: see above." in str(report) and report.to_dict()["unwritable"][0]["path"] == "sub/b.png"
    assert json.loads((tmp_path / "out" / FILE_NAME).read_bytes())["files"].keys() == {"a.png"}
    (tmp_path / "out" / "sub").unlink()
    assert rewrite(masks, tmp_path / "out", resume=True).exit_code() == 0
    rewrite(masks, tmp_path / "whole")
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


def test_many_files_that_cannot_be_written_are_counted(masks: Path, tmp_path: Path) -> None:
    broken_off(masks, tmp_path / "out")
    folder(masks, {f"sub/{number}.png": bands(1) for number in range(4)})
    (tmp_path / "out" / "sub").write_text("in the way")
    lines = str(rewrite(masks, tmp_path / "out", resume=True)).splitlines()
    assert len([line for line in lines if line.startswith("error: '")]) == 5 and "error: 1 more file cannot be written." in lines


def test_ids_that_a_png_has_no_room_for_are_no_fault_of_the_run(tmp_path: Path) -> None:
    source = folder(tmp_path / "masks", {"a.png": bands(0, 1), "b.png": bands(2, 3)})
    report = rewrite(source, tmp_path / "out", Remap(0, {3: 70_000}, num_classes=70_001))
    assert [path for path, _ in report.unwritable] == ["a.png", "b.png"] and "no room for (2 to 70000)" in str(report)
    assert report.exit_code() == 3 and "Nothing was written." in str(report) and not (tmp_path / "out").exists()


@pytest.mark.parametrize("length", [244, 255])
def test_a_long_name_is_written(tmp_path: Path, length: int) -> None:
    name = "a" * (length - 4) + ".png"
    source = folder(tmp_path / "masks", {name: bands(1), "b.png": bands(2)})
    assert rewrite(source, tmp_path / "out").exit_code() == 0 and (tmp_path / "out" / name).exists()


def test_what_is_written_from_one_file_lies_outside_of_its_folder(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(masks)
    assert resize(masks / "a.png", scale=0.5).out == str(tmp_path / "a-resized")
    monkeypatch.chdir(masks / "sub")
    assert resize("b.png", scale=0.5).out == os.path.join("..", "b-resized")
    assert (masks / "b-resized" / "b.png").exists() and (tmp_path / "a-resized" / "a.png").exists()
    assert {name: data for name, data in tree(masks).items() if not name.startswith("b-resized")} == before


@pytest.mark.parametrize(("source", "out"), [
    ("masks", "masks-x"), ("masks/sub", "masks/sub-x"), ("masks/a.png", "a-x"), ("./masks/a.png", "a-x"), ("masks/sub/b.png", "masks/b-x"),
    ("../here/masks/a.png", "../here/a-x"), (".", "/here-x")])
def test_what_is_written_lies_beside_the_folder(
        masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, out: str) -> None:
    (tmp_path / "here").mkdir()
    masks.rename(tmp_path / "here" / "masks")
    monkeypatch.chdir(tmp_path / "here")
    assert Path(default_out(source, "x")) == (Path(out) if not out.startswith("/") else tmp_path / out[1:])

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from labelguard.cli import main
from labelguard.files import whole_file
from tests.checks.recipes import drawn_set
from tests.drawn import folder


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path / "masks", {f"{number}.png": labels for number, labels in enumerate(drawn_set(3, 25))})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_writes_what_was_inferred_and_scan_takes_it(inside: Path) -> None:
    done = CliRunner().invoke(main, ["init"])
    assert done.exit_code == 0 and "3 classes (ids 0-2), from 25 files." in done.stdout and "labelguard scan ./masks" in done.stdout
    text = (inside / "labelguard.toml").read_text()
    assert "num_classes = 3\n" in text and "ignore_index = [255]" in text and "\n# 1: " in text
    scanned = CliRunner().invoke(main, ["scan"])
    assert scanned.exit_code == 0 and "declared: 3 classes, 255 ignored" in scanned.stdout


def test_does_not_overwrite(inside: Path) -> None:
    (inside / "labelguard.toml").write_text("num_classes = 7\n")
    done = CliRunner().invoke(main, ["init", "masks"])
    assert done.exit_code == 2 and "exists already" in done.stderr and (inside / "labelguard.toml").read_text() == "num_classes = 7\n"


def test_without_masks_nothing_is_written(inside: Path) -> None:
    assert CliRunner().invoke(main, ["init", "nowhere"]).exit_code == 3 and not (inside / "labelguard.toml").exists()


def test_what_is_no_file_of_its_own_is_a_sentence(inside: Path) -> None:
    file = inside / "labelguard.toml"
    for lay, of_init, of_scan in ((lambda: file.symlink_to("nowhere"), "does not exist; remove the link", "which does not exist"),
                                  (file.mkdir, "is a folder", "it is not a file"),
                                  (file.touch, "is empty; remove it first", "'labelguard init' writes a new one")):
        lay()
        for command, words in (("init", of_init), ("scan", of_scan)):
            done = CliRunner().invoke(main, [command, "masks"])
            assert done.exit_code == 2 and "labelguard.toml" in done.stderr and words in done.stderr, (words, done.stderr)
            assert len(done.stderr.splitlines()) == 1
        file.rmdir() if file.is_dir() else file.unlink()


def test_on_a_full_disk_it_is_written_whole_or_not_at_all(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(whole_file.os, "fsync", full)
        done = CliRunner().invoke(main, ["init"])
    assert done.exit_code == 3 and "cannot be written: no space left on device" in done.stderr
    assert [path.name for path in inside.iterdir()] == ["masks"] and CliRunner().invoke(main, ["init"]).exit_code == 0


def test_what_appears_in_its_place_meanwhile_is_kept(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def meanwhile(handle: int) -> None:
        fsync(handle)
        (inside / "labelguard.toml").write_text("num_classes = 7\n")

    monkeypatch.setattr(whole_file.os, "fsync", meanwhile)
    assert CliRunner().invoke(main, ["init"]).exit_code == 3
    assert (inside / "labelguard.toml").read_text() == "num_classes = 7\n" and len([*inside.iterdir()]) == 2

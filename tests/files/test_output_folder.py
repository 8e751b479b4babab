"""The output folder: files are there whole or not at all, and nothing is written outside of it."""

from __future__ import annotations

import errno
import os
import pickle
import stat
import sys
from pathlib import Path
from typing import Any, Never

import pytest

from labelguard.errors import IncompleteError
from labelguard.files import output_folder
from labelguard.files.output_folder import OutputFolder, UnwritableFileError

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="needs links")


@pytest.fixture(params=[True, False], ids=["by descriptors", "by paths"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OutputFolder:
    """A folder, written to as on a system that opens files from a folder, and as on Windows."""
    monkeypatch.setattr(output_folder, "_FROM_FOLDER", request.param and output_folder._FROM_FOLDER)
    return OutputFolder.make(str(tmp_path / "out"))


def names(folder: OutputFolder) -> list[str]:
    return sorted(path.relative_to(folder.path).as_posix() for path in Path(folder.path).rglob("*") if not path.is_dir())


def failing(number: int) -> Any:
    def fail(*_: Any, **__: Any) -> Never:
        raise OSError(number, os.strerror(number))
    return fail


def test_a_file_is_there_whole_or_not_at_all(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write("deep/er/a.png", b"first")
    assert folder.read("deep/er/a.png") == b"first"
    monkeypatch.setattr(os, "replace", failing(errno.ENOSPC))
    with pytest.raises(IncompleteError, match=r"out/deep/er/a.png' cannot be written: no space left on device\."):
        folder.write("deep/er/a.png", b"second")
    assert folder.read("deep/er/a.png") == b"first" and names(folder) == ["deep/er/a.png"]


def test_a_write_that_takes_only_a_part_goes_on(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, bytes(data[:3])))
    folder.write("a.png", b"0123456789")
    assert folder.read("a.png") == b"0123456789"


@pytest.mark.parametrize(("number", "general"), [
    (errno.ENOSPC, True), (errno.EROFS, True), (errno.EIO, True), (errno.EACCES, False), (errno.ENAMETOOLONG, False)])
def test_a_full_disk_concerns_every_file_and_a_long_name_one(
        folder: OutputFolder, monkeypatch: pytest.MonkeyPatch, number: int, general: bool) -> None:
    monkeypatch.setattr(output_folder, "write_all", failing(number))
    with pytest.raises(IncompleteError) as caught:
        folder.write("a.png", b"x")
    assert isinstance(caught.value, UnwritableFileError) is not general and names(folder) == []


@pytest.mark.parametrize("length", [255, 256])
def test_a_name_may_be_as_long_as_the_system_allows(folder: OutputFolder, length: int) -> None:
    name = "a" * (length - 4) + ".png"
    if length == 255:
        folder.write(name, b"x")
        assert names(folder) == [name]
    else:
        with pytest.raises(UnwritableFileError, match="name too long"):
            folder.write(name, b"x")


@pytest.mark.parametrize("name", ["../a.png", "a/../../b.png", "/a.png", "a//b.png", "./a.png", ".."])
def test_a_name_that_leads_elsewhere_is_refused(folder: OutputFolder, name: str) -> None:
    with pytest.raises(UnwritableFileError, match="is not a name within"):
        folder.write(name, b"x")
    assert names(folder) == [] and folder.read(name) == b""


@needs_links
def test_a_link_is_neither_entered_nor_read_and_a_file_in_its_place_is_new(folder: OutputFolder, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "a.png").write_bytes(b"kept")
    Path(folder.path, "sub").symlink_to(tmp_path / "else")
    Path(folder.path, "a.png").symlink_to(tmp_path / "else" / "a.png")
    with pytest.raises(UnwritableFileError, match=r"out/sub' is a link, and nothing is written through links; remove it"):
        folder.write("sub/a.png", b"x")
    if output_folder._FROM_FOLDER:
        assert folder.read("sub/a.png") == folder.read("a.png") == b""
    folder.write("a.png", b"new")
    assert (tmp_path / "else" / "a.png").read_bytes() == b"kept" and not Path(folder.path, "a.png").is_symlink()


def test_a_file_where_a_folder_should_be_concerns_one_file(folder: OutputFolder) -> None:
    folder.write("a", b"x")
    with pytest.raises(UnwritableFileError, match="cannot be written"):
        folder.write("a/b.png", b"x")
    Path(folder.path, "c.png").mkdir()
    with pytest.raises(UnwritableFileError, match="cannot be written"):
        folder.write("c.png", b"x")
    assert folder.read("c.png") == b"" and names(folder) == ["a"]


def test_nothing_is_written_into_a_folder_of_sources(folder: OutputFolder) -> None:
    folder.write("sub/a.png", b"source")
    careful = OutputFolder.make(folder.path, [f"{folder.path}/sub/a.png"])
    with pytest.raises(UnwritableFileError, match="is a folder that sources lie in, and sources are never written"):
        careful.write("sub/a.png", b"x")
    careful.write("a.png", b"x")
    assert folder.read("sub/a.png") == b"source"


def test_another_folder_in_its_place_is_left_alone(folder: OutputFolder, tmp_path: Path) -> None:
    Path(folder.path).rename(tmp_path / "moved")
    Path(folder.path).mkdir()
    with pytest.raises(IncompleteError, match="was replaced by another"):
        folder.write("a.png", b"x")
    assert names(folder) == []


def test_what_was_left_half_written_is_removed_and_nothing_else(folder: OutputFolder) -> None:
    ours = ".labelguard-tmp-0123456789abcdef"
    for name in (ours, f"sub/{ours}", f"other/{ours}", f"{ours}0", "a.labelguard-tmp", "sub/b.png"):
        folder.write(name, b"x")
    Path(folder.path, "sub", ours.replace("0", "1")).mkdir()
    folder.remove_temporaries(["sub/b.png", "none/c.png"])
    assert names(folder) == [f"{ours}0", "a.labelguard-tmp", f"other/{ours}", "sub/b.png"]


def test_more_is_only_added_to_the_file_that_was_written(folder: OutputFolder) -> None:
    identity = folder.write("a", b"1")
    folder.append("a", b"2", identity)
    assert folder.read("a") == b"12"
    folder.write("a", b"other")
    with pytest.raises(OSError, match="replaced"):
        folder.append("a", b"3", identity)
    assert folder.read("a") == b"other"


def test_files_have_the_mode_of_any_new_file(folder: OutputFolder, tmp_path: Path) -> None:
    folder.write("a", b"1")
    (tmp_path / "b").write_bytes(b"1")
    assert stat.S_IMODE(Path(folder.path, "a").stat().st_mode) == stat.S_IMODE((tmp_path / "b").stat().st_mode)


def test_it_goes_to_other_processes(folder: OutputFolder) -> None:
    pickle.loads(pickle.dumps(folder)).write("a", b"1")
    assert names(folder) == ["a"]


def test_it_goes_where_nothing_was_written(folder: OutputFolder) -> None:
    folder.write("a", b"1")
    folder.remove_made()
    folder.unlink("a")
    folder.unlink("a")
    folder.remove_made()
    assert not Path(folder.path).exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IncompleteError, match=r"file/out' cannot be made: not a directory.*--out"):
        OutputFolder.make(str(tmp_path / "file" / "out"))

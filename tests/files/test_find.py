from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from labelguard.errors import IncompleteError
from labelguard.files.find import find, find_masks


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.png", "b.TIF", "notes.txt", "sub/c.npy", "sub/.hidden.png", "._a.png", ".DS_Store", "Thumbs.db", "d.png~", "e.png.part",
                 ".git/x.png", "__MACOSX/a.png"):
        (tmp_path / "masks" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "masks" / name).write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "masks"


def test_lists_masks_sorted_and_relative_to_the_folder(tree: Path) -> None:
    found = find(["masks"])
    assert [name for _, name in found.files] == ["a.png", "b.TIF", "sub/c.npy"] and found.root == "masks"
    assert found.others == {".txt": 1}


def test_hidden_and_junk_files_are_left_out_and_listed(tree: Path) -> None:
    assert set(find(["masks"]).skipped) == {"._a.png", ".DS_Store", "Thumbs.db", "d.png~", "e.png.part", ".git/", "__MACOSX/",
                                            "sub/.hidden.png"}


def test_a_file_that_is_named_is_taken_whatever_it_is_called(tree: Path) -> None:
    assert find(["masks/notes.txt"]).files == (("masks/notes.txt", "notes.txt"),)


def test_names_of_several_paths_do_not_collide(tree: Path) -> None:
    (tree.parent / "more").mkdir()
    (tree.parent / "more" / "a.png").write_bytes(b"x")
    found = find(["masks", "more", "masks/a.png"])
    assert [name for _, name in found.files] == ["masks/a.png", "masks/b.TIF", "masks/sub/c.npy", "more/a.png"] and found.root == "SRC"


@pytest.mark.parametrize("paths", [["masks"], ["masks", "masks/notes.txt"], ["masks/a.png", "masks/sub"]], ids=" ".join)
def test_a_name_leads_back_to_its_file(tree: Path, paths: list[str]) -> None:
    found = find(paths)
    assert found.files and all(found.path_of(name) == path for path, name in found.files)
    assert os.path.normpath(found.path_of("masks/Thumbs.db" if len(paths) > 1 else "Thumbs.db")).endswith("Thumbs.db")


def test_missing_paths_are_named(tree: Path) -> None:
    assert find(["masks", "nowhere"]).missing == ("nowhere",)


def test_links_are_followed_once(tree: Path) -> None:
    os.symlink(tree, tree / "sub" / "loop")
    os.symlink(tree / "gone.png", tree / "broken.png")
    assert [name for _, name in find(["masks"]).files] == ["a.png", "b.TIF", "broken.png", "sub/c.npy"]


def test_links_in_a_circle_are_left_out_with_the_reason(tree: Path) -> None:
    (tree / "m9.png").symlink_to("m9.png")
    (tree / "round").symlink_to("about")
    (tree / "about").symlink_to("round")
    found = find(["masks"])
    assert [name for name, _ in found.refused] == ["about", "m9.png", "round"] and len(found.files) == 3
    assert all(reason.startswith("cannot be opened: too many levels of symbolic links") for _, reason in found.refused)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_devices_pipes_and_sockets_are_left_out_with_the_reason(tree: Path) -> None:
    os.mkfifo(tree / "pipe.png")
    (tree / "zero.png").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("masks/talk.png")
        assert find(["masks"]).refused == (("pipe.png", "is a named pipe, not a file"), ("talk.png", "is a socket, not a file"),
                                           ("zero.png", "is a device, not a file"))
    assert find(["masks/pipe.png"]).refused == (("pipe.png", "is a named pipe, not a file"),)
    with pytest.raises(IncompleteError, match=r"No masks found in '/dev/zero' \('zero' is a device, not a file\)\."):
        find_masks(["/dev/zero"])


def test_a_folder_that_cannot_be_opened_is_left_out_with_the_reason(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refusing(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("sub"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert find(["masks"]).refused == (("sub/", "cannot be opened: permission denied"),)
    assert find(["masks/sub"]).missing == ("masks/sub",)


def test_neither_depth_nor_open_files_limit_the_walk(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    deep = tmp_path
    for _ in range(1100):  # deeper than functions may call themselves
        deep /= "d"
    folders = [*reversed(deep.parents), deep][len(tmp_path.parts):]
    for folder in folders:
        folder.mkdir()
    (deep / "a.png").touch()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))
    try:
        assert [path for path, _ in find([tmp_path]).files] == [str(deep / "a.png")]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        (deep / "a.png").unlink()
        for folder in reversed(folders):  # shutil.rmtree would call itself 1,100 times
            folder.rmdir()


def test_a_folder_has_its_own_name_and_not_that_of_a_link_to_it(tree: Path) -> None:
    (tree / "x").mkdir()
    for link in ("a", "x/b", "zz"):
        (tree / link).symlink_to(tree / "sub", target_is_directory=True)
    assert "sub/c.npy" in [name for _, name in find([tree]).files]
    assert not [name for _, name in find([tree]).files if name.startswith(("a/", "x/", "zz/"))]

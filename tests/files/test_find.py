from __future__ import annotations

import os
from pathlib import Path

import pytest

from labelguard.files.find import find


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


def test_missing_paths_are_named(tree: Path) -> None:
    assert find(["masks", "nowhere"]).missing == ("nowhere",)


def test_links_are_followed_once(tree: Path) -> None:
    os.symlink(tree, tree / "sub" / "loop")
    os.symlink(tree / "gone.png", tree / "broken.png")
    assert [name for _, name in find(["masks"]).files] == ["a.png", "b.TIF", "broken.png", "sub/c.npy"]

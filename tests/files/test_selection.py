"""Which masks are meant: patterns, and lists as data sets bring them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

import labelguard
from labelguard.errors import IncompleteError, UsageError
from labelguard.files import selection
from labelguard.files.find import FileListing, find
from labelguard.files.selection import Selection, _standard_input
from tests.drawn import folder

NAMES = ("a/0_mask.png", "a/1_mask.png", "b/0_color.png", "b/0_mask.png", "c/d/2_mask.png", "x.png")


def listing(root: str = "masks") -> FileListing:
    return FileListing(root, tuple((f"{root}/{name}", name) for name in NAMES))


def names(selection: Selection, root: str = "masks") -> list[str]:
    chosen = selection.of(listing(root))
    assert sorted([*chosen.files, *chosen.left_out]) == list(listing(root).files)
    return [name for _, name in chosen.files]


@pytest.mark.parametrize(("include", "exclude", "expected"), [
    ((), (), NAMES), ("*_mask.png", (), [n for n in NAMES if "_mask" in n]), ("b/", (), ["b/0_color.png", "b/0_mask.png"]),
    (["b/", "/x.png"], "*_color.png", ["b/0_mask.png", "x.png"]), ("a/*.png", (), ["a/0_mask.png", "a/1_mask.png"]),
    ("**/d/*.png", (), ["c/d/2_mask.png"]), ((), ["a/", "b/", "c/"], ["x.png"]), ("c/**", (), ["c/d/2_mask.png"]),
    (["*.png", "!b/*"], (), [n for n in NAMES if not n.startswith("b/")])])
def test_patterns_are_read_as_in_a_gitignore(include: str | list[str], exclude: str | list[str], expected: list[str]) -> None:
    assert names(Selection(include, exclude)) == list(expected)


@pytest.mark.parametrize(("lines", "expected"), [
    ("a/0_mask.png\n\n# x\n./b/0_mask.png\r\n", ["a/0_mask.png", "b/0_mask.png"]), ("2_mask\nx\n", ["c/d/2_mask.png", "x.png"]),
    ("d/2_mask.png\n", ["c/d/2_mask.png"]), ("images/x.jpg masks/x.png\n", ["x.png"]), ("/JPEGImages/x.jpg /masks/a/1_mask.png\n",
                                                                                           ["a/1_mask.png"]),
    ("x.jpg,x.png\nimg/0.jpg\tmasks/b/0_mask.png\n", ["b/0_mask.png", "x.png"])])
def test_lists_name_masks_as_data_sets_write_them(tmp_path: Path, lines: str, expected: list[str]) -> None:
    (tmp_path / "train.txt").write_text(lines)
    assert names(Selection(files_from=tmp_path / "train.txt"), str(tmp_path / "masks")) == expected


@pytest.mark.parametrize("entry", ["0_mask.png", "0_mask", "val/x.png", "nothing.png", "masks/val/x.png"])
def test_a_line_that_names_no_mask_or_several_ends_the_run_with_its_number(tmp_path: Path, entry: str) -> None:
    """Also one that says more than any mask: what is cut off it could be what tells two splits apart."""
    (tmp_path / "train.txt").write_text(f"x.png\n{entry}\n")
    with pytest.raises(IncompleteError, match=f"An entry of '.*train.txt' names no mask in '.*', or several: '{entry}' in line 2"):
        names(Selection(files_from=tmp_path / "train.txt"), str(tmp_path / "masks"))


def test_a_list_comes_from_standard_input_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"\xef\xbb\xbfx.png\n")))
    _standard_input.cache_clear()
    for _ in range(2):
        assert names(Selection(files_from="-")) == ["x.png"]
    _standard_input.cache_clear()


def test_names_that_are_not_text_are_found(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"caf\xe9.png\n")
    chosen = Selection(files_from=tmp_path / "list").of(FileListing("m", (("m/caf\udce9.png", "caf\udce9.png"),)))
    assert len(chosen.files) == 1


def test_nothing_selected_is_said_with_what_there_is() -> None:
    says = r"None of the 6 masks in 'masks' is selected by --include \*\.tif; they are called 'a/0_mask.png'"
    with pytest.raises(IncompleteError, match=says):
        names(Selection("*.tif"))


@pytest.mark.parametrize("content", [None, "folder"])
def test_a_list_that_cannot_be_read_is_said(tmp_path: Path, content: str | None) -> None:
    if content:
        (tmp_path / "list").mkdir()
    with pytest.raises(IncompleteError, match="The list '.*list' cannot be read: "):
        names(Selection(files_from=tmp_path / "list"))


def test_patterns_of_a_wrong_type_are_refused() -> None:
    with pytest.raises(UsageError, match="include is 3; it must be patterns of names"):
        Selection(3)  # type: ignore[arg-type]


def test_a_scan_reads_what_is_selected_and_pairs_with_all(tmp_path: Path) -> None:
    labels = np.zeros((8, 8), np.uint8)
    labels[2:5, 2:5] = 1
    masks = folder(tmp_path / "masks", {"a/0.png": labels, "a/1.png": labels * 9, "b/2.png": labels})
    images = folder(tmp_path / "images", {name: np.arange(64, dtype=np.uint8).reshape(8, 8) for name in ("a/0.png", "a/1.png", "b/2.png")})
    report = labelguard.scan(masks, num_classes=2, include="a/", exclude="1.png", images=images, select=["LG1", "LG4"])
    assert report.findings == () and report.data.records[0].path == "a/0.png" and len(report.data.records) == 1
    assert report.images is not None and len(report.images.of_mask) == 1 and len(report.listing.left_out) == 2
    assert "Left out: 2 masks not selected." in str(report) and report.to_dict()["dataset"]["left_out"] == 2
    assert find([masks]).left_out == ()
    with pytest.raises(UsageError, match="says which masks of one set are meant"):
        labelguard.scan_splits({"a": masks / "a", "b": masks / "b"}, files_from="list")


def test_the_lines_of_a_list_are_counted_and_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_MOST_LINES", 3)
    monkeypatch.setattr(selection, "_LONGEST_LINE", 12)
    for content, words in (("x.png\r\n\rx.png", ""), ("x.png\n\n\n\n", "more than 3 lines"), ("x.png" + " " * 6, ""),
                           ("x.png\n" + "#" * 12, "more than 12 characters in line 2")):
        (tmp_path / "list").write_bytes(content.encode())
        if not words:
            assert names(Selection(files_from=tmp_path / "list")) == ["x.png"]
            continue
        with pytest.raises(IncompleteError, match=words):
            names(Selection(files_from=tmp_path / "list"))


def test_of_many_missing_names_the_first_is_told_and_the_rest_counted_up_to_a_limit(tmp_path: Path,
                                                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_MOST_MISSING", 3)
    for lines, words in (("x.png\nq\nr", "2 entries"), ("x.png\nq\nr\ns\nt", "At least 3 entries")):
        (tmp_path / "list").write_text(lines)
        with pytest.raises(IncompleteError, match=rf"^{words} of .*: 'q' in line 2\."):
            names(Selection(files_from=tmp_path / "list"))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no such device")
def test_a_list_without_an_end_is_given_up() -> None:
    with pytest.raises(IncompleteError, match="more than 65,536 characters in line 1"):
        names(Selection(files_from="/dev/zero"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_list_may_come_through_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "list")
    writer = Thread(target=(tmp_path / "list").write_text, args=("x.png\n",))
    writer.start()
    assert names(Selection(files_from=tmp_path / "list")) == ["x.png"]
    writer.join()

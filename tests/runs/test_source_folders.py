"""No output lies where sources do, by whatever way they are reached, and no ids are moved twice by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from labelguard import IncompleteError, Remap, Resize, UsageError
from labelguard.files.find import find
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.output_folder import OutputFolder
from labelguard.files.receipt import FILE_NAME, Provenance, write_receipt
from labelguard.runs.source_folders import refuse_second_remap
from tests.drawn import bands, folder, write_png
from tests.runs.rewriting import broken_off, rewrite, rewriting, tree


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 255), "sub/b.png": bands(2, 3)})


def receipt_in(place: Path, *, remaps: bool) -> None:
    write_receipt(OutputFolder.make(str(place)), Provenance("remap", "", remaps), [])


@pytest.mark.parametrize("out", ["data/new", "data/new/deep", "data/empty/new"])
def test_an_output_in_a_folder_that_a_link_in_the_source_leads_to_is_refused(masks: Path, tmp_path: Path, out: str) -> None:
    data = folder(tmp_path / "data", {"more/x.png": bands(4)})
    (data / "empty").mkdir()
    (masks / "ext").symlink_to(data)
    before = tree(tmp_path)
    for options in ({}, {"resume": True}):
        with pytest.raises(UsageError, match=r"The output '.*' lies in the source '.*/masks/ext"):
            rewrite(masks, tmp_path / out, **options)
    assert tree(tmp_path) == before and rewrite(masks, tmp_path / "beside").complete


def test_a_source_that_a_link_leads_to_in_the_output_is_refused(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out", Resize(4, 4))
    (masks / "more").symlink_to(tmp_path / "out" / "sub")
    before = tree(tmp_path / "out")
    with pytest.raises(UsageError, match=r"The source '.*/masks/more' lies in the output"):
        rewrite(masks, tmp_path / "out", Resize(4, 4), resume=True)
    assert tree(tmp_path / "out") == before


def test_a_folder_above_the_output_that_becomes_a_link_into_the_source_is_noticed(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    planned = rewriting(masks, tmp_path / "place" / "out")
    (tmp_path / "place").rmdir()
    (tmp_path / "place").symlink_to(masks / "sub")
    before = sorted(masks.rglob("*"))
    with pytest.raises(UsageError, match="lies in the source"):
        list(planned)
    assert sorted(masks.rglob("*")) == before


@pytest.mark.parametrize("linked", ["", "a folder", "a file"])
def test_a_remapped_folder_within_the_source_is_not_remapped_again(masks: Path, tmp_path: Path, linked: str) -> None:
    inside = tmp_path / "elsewhere" if linked else masks / "masks-remapped"
    rewrite(folder(tmp_path / "other", {"x.png": bands(1)}), inside)
    if linked:
        (masks / "link.png").symlink_to(inside / "x.png" if linked == "a file" else inside)
    with pytest.raises(UsageError, match=rf"'{inside}' was remapped before, as '{inside / FILE_NAME}' says.*--again"):
        rewrite(masks, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert rewrite(masks, tmp_path / "small", Resize(4, 4)).complete
    assert rewrite(masks, tmp_path / "twice", Remap(1, num_classes=14, ignore_index=255), again=True).complete


def test_what_is_not_finished_within_the_source_is_no_source(masks: Path, tmp_path: Path) -> None:
    broken_off(folder(tmp_path / "other", {"x.png": bands(1)}), tmp_path / "half")
    (tmp_path / "half").rename(masks / "half")
    with pytest.raises(UsageError, match=rf"'{masks / 'half'}' is what a run .*broken off: '{masks / 'half' / JOURNAL_NAME}'"):
        rewrite(masks, tmp_path / "out")


def test_the_nearest_receipt_above_counts(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    write_png(deep / "x.png", bands(1))
    refuse_second_remap(str(deep))
    receipt_in(tmp_path, remaps=True)
    with pytest.raises(UsageError, match=rf"'{deep}' was remapped before, as '{tmp_path / FILE_NAME}'"):
        refuse_second_remap(str(deep))
    receipt_in(tmp_path / "a", remaps=False)
    refuse_second_remap(str(deep))
    refuse_second_remap(str(deep / "x.png"))
    with pytest.raises(UsageError, match="was remapped before"):
        refuse_second_remap(str(tmp_path), [str(deep / "x.png")])


def test_a_damaged_receipt_within_the_source_is_said(masks: Path, tmp_path: Path) -> None:
    (masks / "sub" / FILE_NAME).write_text("{")
    with pytest.raises(IncompleteError, match="receipt .* is damaged"):
        rewrite(masks, tmp_path / "out")


def test_a_listing_names_the_folders_that_were_looked_through(masks: Path) -> None:
    (masks / "link").symlink_to("sub")
    (masks / ".hidden").mkdir()
    assert sorted(find([masks]).folders) in ([str(masks), str(masks / "sub")], [str(masks), str(masks / "link")])


@pytest.mark.parametrize("inner", ["x.png", "deep/x.png"])
def test_a_target_that_would_be_both_a_file_and_a_folder_is_refused(tmp_path: Path, inner: str) -> None:
    from PIL import Image
    source = folder(tmp_path / "masks", {f"c.png/{inner}": bands(1)})
    Image.fromarray(bands(1)).save(source / "c.bmp")
    with pytest.raises(UsageError, match=r"'c\.bmp' would be written to 'c\.png', which is a folder"):
        rewrite(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_of_the_users_stays_when_nothing_was_written(tmp_path: Path) -> None:
    source = folder(tmp_path / "masks", {"a.png": bands(99)})
    (tmp_path / "mine").mkdir()
    for out in (tmp_path / "mine", tmp_path / "mine" / "new" / "deep"):
        assert rewrite(source, out).unwritten == 1
    assert list((tmp_path / "mine").iterdir()) == []

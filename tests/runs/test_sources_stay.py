"""Sources are never written, whatever lies in the output folder, and whatever becomes of it during a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import tifffile

import labelguard
from labelguard import Remap, UsageError
from labelguard.errors import LabelguardError
from labelguard.files.receipt import FILE_NAME
from labelguard.report.rewrite import RewriteReport
from tests.drawn import bands, write_png
from tests.runs.rewriting import broken_off, rewrite, rewriting, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links")

LOCK, JOURNAL = ".labelguard-lock", ".labelguard-journal.jsonl"
TEMPORARY = ".labelguard-tmp-0123456789abcdef"

Trap = Callable[[Path, Path], object]  # lays something into the output folder (second) that leads to the source (first)


@pytest.fixture(params=["png", "tif", "npy"])
def masks(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three masks of one format, at three depths."""
    for name in ("a", "sub/b", "sub/deep/c"):
        place = tmp_path / "masks" / f"{name}.{request.param}"
        place.parent.mkdir(parents=True, exist_ok=True)
        labels = bands(0, 1, 255)
        if request.param == "png":
            write_png(place, labels)
        elif request.param == "tif":
            tifffile.imwrite(place, labels)
        else:
            np.save(place, labels)
    return tmp_path / "masks"


def mask_of(folder: Path) -> Path:
    return next(folder.glob("a.*"))


def replaced(place: Path, make: Callable[[Path], object]) -> None:
    """Something else in the place of a file or folder."""
    if place.exists():
        place.rename(place.parent.parent / f"{place.name}-moved")
    make(place)


TRAPS: dict[str, Trap] = {
    "a folder is a link": lambda masks, out: replaced(out / "sub", lambda place: place.symlink_to(masks / "sub")),
    "a folder of a folder is a link": lambda _, out: replaced(
        out / "sub" / "deep", lambda place: place.symlink_to("../../masks/sub/deep")),
    "a folder is a link to a link": lambda masks, out: (
        (out.parent / "link").symlink_to(masks / "sub"), replaced(out / "sub", lambda place: place.symlink_to("../link"))),
    "a folder is a link upwards": lambda _, out: replaced(out / "sub", lambda place: place.symlink_to(out.parent / "masks")),
    "a file is a link": lambda masks, out: replaced(mask_of(out), lambda place: place.symlink_to(mask_of(masks))),
    "a file is a hard link": lambda masks, out: replaced(mask_of(out), lambda place: os.link(mask_of(masks), place)),
    "half-written files are links": lambda masks, out: [
        (out / name).symlink_to(mask_of(masks)) for name in (TEMPORARY, f"{mask_of(masks).name}.labelguard-tmp")],
    "the journal is a link": lambda masks, out: replaced(out / JOURNAL, lambda place: place.symlink_to(mask_of(masks))),
    "the journal is a hard link": lambda masks, out: replaced(out / JOURNAL, lambda place: os.link(mask_of(masks), place)),
    "the receipt is a link": lambda masks, out: (out / FILE_NAME).symlink_to(mask_of(masks)),
    "the receipt is a link to nothing": lambda masks, out: (out / FILE_NAME).symlink_to(masks / "new.png"),
    "the lock is a link": lambda masks, out: (out / LOCK).symlink_to(mask_of(masks)),
    "the lock is a link to nothing": lambda masks, out: (out / LOCK).symlink_to(masks / "new.png"),
    "the lock is a hard link": lambda masks, out: os.link(mask_of(masks), out / LOCK),
    "the lock is a hard link to an empty file": lambda masks, out: (
        (masks / "empty.png").touch(), os.link(masks / "empty.png", out / LOCK)),
    "a source is a link into the output": lambda masks, out: (masks / "d.png").symlink_to(out / mask_of(out).name),
    "a folder of sources is a link into the output": lambda masks, out: (masks / "more").symlink_to(out / "sub"),
}


def resumed(masks: Path, out: Path) -> RewriteReport | None:
    """What a resumed run reports; None where it says in a sentence why it does not go on."""
    try:
        return rewrite(masks, out, resume=True)
    except LabelguardError as reason:
        assert str(reason).endswith(".")
        return None


@pytest.mark.parametrize("trap", TRAPS)
def test_what_lies_in_the_output_leads_to_no_source(masks: Path, tmp_path: Path, trap: str) -> None:
    broken_off(masks, tmp_path / "out", after=3)
    journal = tmp_path / "out" / JOURNAL
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])  # all is to be done again
    TRAPS[trap](masks, tmp_path / "out")
    before = tree(masks)
    report = resumed(masks, tmp_path / "out")
    assert tree(masks) == before
    if report is not None:
        for file in report.written:
            assert (tmp_path / "out" / file.name).resolve() == (tmp_path / "out").resolve() / file.name


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if "folder" in trap])
def test_a_folder_that_becomes_a_link_during_a_run_leads_to_no_source(masks: Path, tmp_path: Path, trap: str) -> None:
    before = tree(masks)
    under_way = rewriting(masks, tmp_path / "out", jobs=1)
    steps = iter(under_way)
    next(steps)
    (tmp_path / "out" / "sub" / "deep").mkdir(parents=True)
    TRAPS[trap](masks, tmp_path / "out")
    list(steps)
    report = under_way.result()
    if "of sources" not in trap:
        assert tree(masks) == before
        assert len(report.written) < 3 and "is a link, and nothing is written through links" in str(report)
        assert report.exit_code() == 3


def test_an_output_folder_that_is_replaced_during_a_run_is_left_alone(masks: Path, tmp_path: Path) -> None:
    before = tree(masks)
    steps = iter(rewriting(masks, tmp_path / "out", jobs=1))
    next(steps)
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "out").symlink_to(masks)
    with pytest.raises(labelguard.IncompleteError, match="was replaced"):
        list(steps)
    assert tree(masks) == before


@pytest.mark.parametrize("out", ["link", "link/sub", "link/new", "inner/new", "circle", "nothing"])
def test_an_output_that_a_link_leads_into_the_source_is_refused(masks: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "link").symlink_to(masks)
    (tmp_path / "inner").symlink_to(masks / "sub" / "deep")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "nothing").symlink_to(masks / "new")
    before = tree(masks)
    for options in ({}, {"resume": True}):
        with pytest.raises(LabelguardError, match=r"lies in the source|is a file"):
            rewrite(masks, tmp_path / out, **options)
    assert tree(masks) == before and not (masks / "new").exists()


def test_a_source_that_is_a_circle_of_links_is_said(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(labelguard.IncompleteError, match="circle"):
        labelguard.remap(tmp_path / "circle", tmp_path / "out", shift=1)


def test_a_source_that_lies_in_the_output_is_refused(masks: Path, tmp_path: Path) -> None:
    rewrite(masks, tmp_path / "out")
    before = tree(tmp_path / "out")
    inside = Remap(1, num_classes=12, ignore_index=255)
    for source in (tmp_path / "out" / "sub", mask_of(tmp_path / "out")):
        with pytest.raises(UsageError, match="lies in the output"):
            rewrite(source, tmp_path / "out", inside, resume=True, again=True)
    assert tree(tmp_path / "out") == before


def test_a_link_to_an_empty_folder_may_be_written_to(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to("elsewhere")
    assert rewrite(masks, tmp_path / "out").exit_code() == 0
    assert len(tree(tmp_path / "elsewhere")) == 4


@pytest.mark.parametrize("name", [TEMPORARY, "a.png.labelguard-tmp"])
def test_a_first_run_follows_no_link_that_looks_half_written(tmp_path: Path, name: str) -> None:
    masks = tmp_path / "masks"
    write_png(masks / "a.png", bands(0, 1))
    write_png(masks / "b.png", bands(2, 3))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(masks / "b.png")
    before = tree(masks)
    with suppress(UsageError):  # a name that is not ours is somebody else's file
        rewrite(masks, tmp_path / "out")
    assert tree(masks) == before

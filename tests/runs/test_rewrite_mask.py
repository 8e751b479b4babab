"""The work on one file: every pixel is accounted for in the bytes that are written, or they are not written."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Never

import numpy as np
import pytest

from labelguard import IncompleteError, Mask, Pipeline, Remap, Resize, Stage
from labelguard.files import output_folder
from labelguard.files.write import encode
from labelguard.kernels import tally_files
from labelguard.runs import rewrite_mask
from tests.drawn import bands, folder
from tests.runs.rewriting import SHIFT, rewrite, tree

STAGES = [SHIFT, Resize(10, 10), Pipeline([SHIFT, Resize(10, 10)])]


def altered(change: Callable[[np.ndarray[tuple[int, int], np.dtype[np.uint8]]], object]) -> Callable[[Mask], bytes]:
    """An encoder with a bug: it changes pixels on the way."""
    def encoder(mask: Mask) -> bytes:
        labels = np.array(mask)
        return encode(Mask(np.asarray(change(labels)), mask.name, mask.stored))
    return encoder


def one_pixel(labels: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> object:
    labels[0, 0] += 1
    return labels


BUGS = {
    "one pixel altered": one_pixel,
    "a row lost": lambda labels: labels[1:],
    "a column doubled": lambda labels: np.hstack([labels, labels[:, -1:]]),
    "all pixels of an id given to another": lambda labels: np.where(labels == labels[0, 0], labels.max() + 1, labels).astype(np.uint8),
}


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is worked on alone; `test_rewrite_at_once.py` is about many."""
    monkeypatch.setattr(tally_files, "TAKES_FILES", False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 2)})


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("stage", STAGES, ids=["remap", "resize", "both"])
@pytest.mark.parametrize("bug", BUGS)
def test_pixels_that_do_not_add_up_are_refused_and_nothing_is_written(
        source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: Stage, bug: str) -> None:
    monkeypatch.setattr(rewrite_mask, "encode", altered(BUGS[bug]))
    report = rewrite(source, tmp_path / "out", stage, jobs=1)
    finding, = report.findings
    assert (finding.path, report.unwritten, report.exit_code()) == ("a.png", 1, 1)
    assert "the pixels of 'a.png' do not add up" in finding.message and "please report this" in finding.message
    assert not (tmp_path / "out").exists()


def test_a_stage_that_does_not_do_what_it_says_is_refused(source: Path, tmp_path: Path) -> None:
    class Liar(Remap):
        def apply(self, mask: Mask) -> Mask:
            return Mask(super().apply(mask).labels // 2, mask.name, mask.stored)

    report = rewrite(source, tmp_path / "out", Liar(1), jobs=1)
    assert "do not add up" in report.findings[0].message and not (tmp_path / "out").exists()


@pytest.mark.usefixtures("alone")
def test_one_file_that_does_not_add_up_leaves_the_others_alone(
        source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(source, {"b.png": bands(4)})
    bug = altered(one_pixel)
    monkeypatch.setattr(rewrite_mask, "encode", lambda mask: (bug if mask.name == "a.png" else encode)(mask))
    report = rewrite(source, tmp_path / "out", jobs=1)
    assert [file.name for file in report.written] == ["b.png"] and "a.png" not in tree(tmp_path / "out")


def test_a_full_disk_stops_the_run_and_is_not_a_fault_of_a_file(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Never:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(output_folder, "write_all", full)
    with pytest.raises(IncompleteError, match="no space left"):
        rewrite(source, tmp_path / "out")

"""Masks whose ids are moved in one go are written byte for byte as each alone, with the same account of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelguard import LabelSpec, Pipeline, RejectEmpty, Remap, Resize, Validate
from labelguard.files import mask_files
from labelguard.files.output_folder import OutputFolder
from labelguard.files.receipt import WrittenFile
from labelguard.kernels import tally_files
from labelguard.runs.rewrite_mask import RewriteMask
from labelguard.stages import Stage
from tests.drawn import examples
from tests.files import pngs
from tests.files.test_mask_files import GOOD, INDEXED, LABELS, PALETTE, written
from tests.kernels.strategies import label_images

pytestmark = pytest.mark.skipif(not tally_files.TAKES_FILES, reason="files are worked on one by one here")
ENOUGH = 10 ** 7
UP = Remap(1, num_classes=300)


def rewriting(stage: Stage, folder: Path, names: Sequence[str], **more: object) -> RewriteMask:
    return RewriteMask(stage, OutputFolder.make(str(folder)), {name: name for name in names}, **{"done": {}, **more})  # type: ignore[arg-type]


def taken(root: Path, contents: Sequence[bytes], stage: Stage, most_bytes: int = ENOUGH) -> list[bool]:
    """Which files were taken, after what was written of these was found equal to what is written of each alone."""
    files = written(root, contents)
    together, alone = (rewriting(stage, root / folder, [name for _, name in files]) for folder in ("together", "alone"))
    results = together.at_once(files, most_bytes)
    for (path, name), result in zip(files, results, strict=True):
        there = root / "together" / name
        if result is None:
            assert not there.exists()
        else:
            assert (result.written, result.findings, result.problem) == (alone(path, name).written, (), "")
            assert there.read_bytes() == (root / "alone" / name).read_bytes()
            there.unlink()
    return [result is not None for result in results]


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("classes", [256, 60_000])
@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(label_images(255), min_size=1, max_size=3), st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_files_are_those_of_each_mask_alone(bits: int, classes: int, tmp_path: Path, images: list[np.ndarray], kinds: list[int]) -> None:
    scale = 1 if classes == 256 or bits == 8 else 234
    stage = Remap(1, {0: 7}, num_classes=classes)
    assert all(taken(tmp_path, [pngs.encode(image.astype(np.uint16) * scale, bits, 0, kinds) for image in images], stage))


def test_colors_move_with_their_ids(tmp_path: Path) -> None:
    swapped = Remap(table={label: 11 - label for label in range(12)}, num_classes=12)
    assert all(taken(tmp_path, [INDEXED, pngs.encode(LABELS, 8, 3, palette=PALETTE[:3]), GOOD], swapped))
    assert all(taken(tmp_path, [INDEXED, GOOD], Remap(1, num_classes=40_000)))


@pytest.mark.parametrize("content", [
    GOOD[:-1], b"text", pngs.encode(LABELS, 4), pngs.encode(LABELS, 4, 3, palette=PALETTE), pngs.encode(LABELS + 250, 8),
    pngs.encode(np.stack([LABELS] * 3, axis=2), 8, 2),
])
def test_what_is_unusual_or_refused_is_left(content: bytes, tmp_path: Path) -> None:
    assert taken(tmp_path, [GOOD, content, GOOD], Remap(1, num_classes=250)) == [True, False, True]


class Own(Remap):
    """What it does to a mask is not what the table says."""


def test_only_a_stage_that_one_table_says_is_done_at_once(tmp_path: Path) -> None:
    stages = (Own(1, num_classes=300), Validate(LabelSpec(12)), RejectEmpty(), Resize(9, 9), Pipeline([UP]), Remap(1, num_classes=70_000))
    for stage in stages:
        assert taken(tmp_path, [GOOD], stage) == [False]


def test_what_an_earlier_run_has_left_is_looked_at_alone(tmp_path: Path) -> None:
    files = written(tmp_path, [GOOD])
    known = {"0.png": WrittenFile("0.png", "0.png", "1", "2")}
    assert rewriting(UP, tmp_path / "out", ["0.png"], done=known).at_once(files, ENOUGH) == [None]
    assert rewriting(UP, tmp_path / "out", ["0.png"], copied=("0.png",)).at_once(files, ENOUGH) == [None]


def test_more_masks_than_there_is_room_for_are_taken_in_turns(tmp_path: Path) -> None:
    sizes = [(30, 40), (200, 100), (30, 50), (199, 100), (60, 60)]
    contents = [pngs.encode(np.full(size, number, np.uint8), level=9) for number, size in enumerate(sizes)]
    needed = len(contents[1]) + 200 * 100 * 6
    assert taken(tmp_path, contents, Remap(1, num_classes=9), needed) == [True] * 5
    assert taken(tmp_path, contents, Remap(1, num_classes=9), needed - 1) == [True, False, True, True, True]


def test_what_does_not_add_up_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_files, "_encoded", lambda *_: GOOD)
    assert taken(tmp_path, [GOOD], UP) == [False]
    monkeypatch.setattr(mask_files, "_encoded", lambda *_: GOOD[:-1])
    assert taken(tmp_path, [GOOD], UP) == [False]


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    files = written(tmp_path, [GOOD, GOOD])
    (tmp_path / "out" / "0.png").mkdir(parents=True)
    work = rewriting(UP, tmp_path / "out", [name for _, name in files])
    alone = work(*files[0])
    results = work.at_once(files, ENOUGH)
    assert results[0] is not None and results[0].unwritable == alone.unwritable != "" and results[1] is not None and results[1].written


def test_a_table_that_does_not_fit_is_refused() -> None:
    from labelguard.kernels.remap_files import remap_files
    fits = np.zeros(256, np.int32)
    wide = fits.astype(np.int64)
    for table, dtype in ((fits[1:], "uint8"), (fits + 256, "uint8"), (fits, "uint32"), (wide, "uint8"), (fits[::-1], "uint8")):
        with pytest.raises(IndexError, match="does not move labels of 8 bits"):
            remap_files(["x.png"], ENOUGH, {8: (table, np.dtype(dtype))})  # type: ignore[dict-item]
    assert remap_files(["x.png"], ENOUGH, {}) == [None]

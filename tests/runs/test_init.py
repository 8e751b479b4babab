from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import labelguard
from labelguard import IncompleteError, LabelSpec, UsageError
from labelguard.spec.declarations import read_spec
from tests.checks.recipes import drawn_set
from tests.drawn import folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    return folder(tmp_path / "masks", {f"{number}.png": labels for number, labels in enumerate(drawn_set(3, 25))})


def test_writes_what_it_infers_where_it_is_told(masks: Path, tmp_path: Path) -> None:
    inference = labelguard.init(masks, tmp_path / "my.toml", jobs=1)
    assert inference.spec == LabelSpec(3, 255) == read_spec(tmp_path / "my.toml") and inference.sure and inference.files == 25


def test_what_may_be_a_wrapped_background_is_not_declared_as_void(tmp_path: Path) -> None:
    """Once declared, no scan would speak of it again."""
    wrapped = [(labels - 1).astype(np.uint8) for labels in drawn_set(8, 40, void=None)]
    masks = folder(tmp_path / "masks", {f"{number}.png": labels for number, labels in enumerate(wrapped)})
    inference = labelguard.init(masks, tmp_path / "labelguard.toml")
    assert "the ids do not settle what 255 is: perhaps " in inference.lines[-1] and "the ids were shifted by -1" in inference.lines[-1]
    assert read_spec(tmp_path / "labelguard.toml") == LabelSpec()
    assert "# ignore_index = [255]" in (tmp_path / "labelguard.toml").read_text()
    assert labelguard.scan(masks, spec=read_spec(tmp_path / "labelguard.toml")).findings


def test_a_void_label_that_can_be_nothing_else_is_declared(tmp_path: Path) -> None:
    masks = folder(tmp_path / "masks", {f"{number}.png": labels for number, labels in enumerate(drawn_set(8, 40))})
    assert labelguard.init(masks, tmp_path / "labelguard.toml").spec == read_spec(tmp_path / "labelguard.toml") == LabelSpec(8, 255)


def test_a_file_that_exists_is_refused_before_any_mask_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("num_classes = 7\n")
    with pytest.raises(UsageError, match="exists already"):
        labelguard.init(tmp_path / "nowhere", tmp_path / "my.toml")
    assert (tmp_path / "my.toml").read_text() == "num_classes = 7\n"


def test_a_file_that_cannot_be_written_is_said(masks: Path, tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match="cannot be written"):
        labelguard.init(masks, tmp_path / "no such folder" / "my.toml")


def test_it_infers_what_a_scan_infers_also_where_files_cannot_be_relied_on(tmp_path: Path) -> None:
    for number, shift in enumerate([0, 1, 2] * 7):  # each file has a palette of its own: its ids are not those of the others
        image = Image.fromarray(np.full((20, 20), 2, np.uint8)).convert("L")
        image.putpalette([value for color in range(9) for value in (30 * ((color + shift) % 9), 7 * number % 200, 9)])
        image.putpixel((number % 20, 3), 1)
        (tmp_path / "masks").mkdir(exist_ok=True)
        image.save(tmp_path / "masks" / f"{number}.png")
    report = labelguard.scan(tmp_path / "masks")
    assert "LG009" in {finding.code for finding in report.findings}
    assert labelguard.init(tmp_path / "masks", tmp_path / "my.toml") == report.inference

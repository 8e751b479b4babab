"""Photographs below masks: turned by their EXIF orientation where they fit only so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import labelguard
from labelguard.files.photograph import read_photograph
from tests.drawn import bands, folder
from tests.report.pages import Parsed

PIXELS = np.random.default_rng(2).integers(0, 255, (20, 30, 3), np.uint8)


def saved(path: Path, orientation: int) -> Path:
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(PIXELS).save(path, exif=exif)
    return path


@pytest.mark.parametrize(("orientation", "shape", "turned"), [
    (6, (30, 20), True), (6, (20, 30), False), (6, (), False), (3, (20, 30), False), (3, (40, 60), False), (1, (30, 20), False),
    (6, (9, 99), False)])
def test_it_is_turned_where_it_fits_only_so(tmp_path: Path, orientation: int, shape: tuple[int, ...], turned: bool) -> None:
    found = read_photograph(saved(tmp_path / "a.png", orientation), shape)
    assert np.array_equal(found, np.rot90(PIXELS, -1) if turned else PIXELS)


def test_a_page_shows_a_turned_photograph_below_its_mask(tmp_path: Path) -> None:
    masks = folder(tmp_path / "masks", {"a.png": bands(0, 1, 9)[:30, :20]})
    (tmp_path / "images").mkdir()
    saved(tmp_path / "images" / "a.png", 6)
    report = labelguard.scan(masks, images=tmp_path / "images", num_classes=2, select="LG101")
    assert any("over its image" in image["alt"] for image in Parsed(report.to_html()).all("img"))

"""Images for a network are read as the scan reads them: exact, within limits, and turned as EXIF says where the mask is turned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.files import limits
from labelguard.lossprobe.batch_plan import MaskContents
from labelguard.lossprobe.mask_source import MaskFiles
from labelguard.lossprobe.network_images import ImageMismatchError, network_images, read_rgb
from tests.drawn import bands, folder, write_png

COLORS = np.random.default_rng(0).integers(0, 256, (6, 4, 3)).astype(np.uint8)
ROTATED = 6  # EXIF: row 0 is on the right


def saved(path: Path, orientation: int = 1) -> str:
    exif = Image.Exif()
    exif[274] = orientation
    Image.fromarray(COLORS).save(path, exif=exif)
    return str(path)


@pytest.mark.parametrize(("orientation", "shape", "expected"), [
    (1, (6, 4), COLORS),
    (ROTATED, (4, 6), np.rot90(COLORS, -1)),  # the mask has the size of the displayed image
    (ROTATED, (6, 4), COLORS),                # the mask has the size of the stored image
])
def test_an_image_is_turned_where_its_mask_is(tmp_path: Path, orientation: int, shape: tuple[int, int], expected: np.ndarray) -> None:
    assert np.array_equal(read_rgb(saved(tmp_path / "a.png", orientation), shape), expected)


def test_an_image_of_another_size_is_refused_with_both_sizes(tmp_path: Path) -> None:
    with pytest.raises(ImageMismatchError, match="its image is 4 x 6, the mask 5 x 5"):
        read_rgb(saved(tmp_path / "a.png", ROTATED), (5, 5))


def test_an_image_beyond_the_size_limit_is_left_out_and_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "a.png")
    monkeypatch.setattr(limits, "MAX_BYTES", 6 * 4 * 3 - 1)
    with pytest.raises(UnreadableMaskError, match="the limit is"):
        read_rgb(path, (6, 4))


@pytest.mark.parametrize(("stored", "red"), [
    (np.full((2, 3), 7, np.uint8), 7),
    (np.full((2, 3), 0xABCD, np.uint16), 0xAB),
    (np.full((2, 3, 4), 9, np.uint8), 9),
])
def test_every_kind_of_samples_becomes_rgb(tmp_path: Path, stored: np.ndarray, red: int) -> None:
    Image.fromarray(stored).save(tmp_path / "a.png")
    image = read_rgb(str(tmp_path / "a.png"), (2, 3))
    assert image.shape == (2, 3, 3) and image.dtype == np.uint8 and (image == red).all()


def test_masks_whose_image_cannot_be_used_are_left_out_with_the_reason(tmp_path: Path) -> None:
    masks = MaskFiles([folder(tmp_path / "masks", {name: bands(0, 1, height=6, width=4) for name in ("a.png", "b.png", "c.png", "d.png")})])
    for name, image in {"a.png": COLORS, "b.png": COLORS[:-1]}.items():
        write_png(tmp_path / "images" / name, image)
    (tmp_path / "images" / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    paired = masks.pair(tmp_path / "images")
    assert list(masks) == ["a.png", "b.png", "c.png", "d.png"]
    images = network_images(paired, masks.contents)
    assert [mask.name for mask in images.masks] == ["a.png"] and images.batch([0]).shape == (1, 6, 4, 3)
    reasons = dict(images.left_out)
    assert reasons["b.png"] == "its image is 5 x 4, the mask 6 x 4" and reasons["d.png"] == "it has no image"
    assert "cannot be read" in reasons["c.png"]
    with pytest.raises(IncompleteError, match="No mask has an image"):
        network_images(paired, [MaskContents("d.png", (6, 4), (0, 1))])


def test_nothing_is_read_before_masks_are_asked_for(tmp_path: Path) -> None:
    masks = MaskFiles([tmp_path / "nowhere"])
    with pytest.raises(IncompleteError, match="does not exist"):
        list(masks)

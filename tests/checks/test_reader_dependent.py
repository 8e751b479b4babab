"""LG013: files that readers disagree about, and what becomes of them when they are written."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

import labelguard
from labelguard.checks import reader_dependent as check
from labelguard.files.mask import decode_with_facts, facts_of
from tests.checks.scenes import mask, on_mask, png, saved
from tests.files import pngs
from tests.files.test_tiff import tag_place

LABELS = np.arange(6, dtype=np.uint8).reshape(2, 3)
ORIENTATIONS = range(2, 9)


def tiff(labels: np.ndarray = LABELS, orientation: int = 1, **options: Any) -> bytes:
    target = BytesIO()
    tifffile.imwrite(target, labels, **{"photometric": "minisblack", "extratags": [(274, 3, 1, orientation, True)], **options})
    return target.getvalue()


def with_exif(format_: str, orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(LABELS)
    return saved(image.convert("RGB") if format_ == "WEBP" else image, format_, exif=exif,
                 **({"lossless": True} if format_ == "WEBP" else {}))


LEVELS = np.array([[0, 1, 2, 3], [3, 2, 1, 0]], np.uint8)


def few_bits(bits: int, color_type: int = 0, labels: np.ndarray = LEVELS) -> bytes:
    """A PNG of some depth, grey or (color type 3) with a palette."""
    return pngs.encode(labels & ((1 << bits) - 1), bits, color_type, palette=bytes(3 << bits) if color_type == 3 else b"")


@pytest.mark.parametrize("compression", [None, "lzw", "zlib"])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_a_turned_tiff_lies_as_in_pillow_and_opencv_and_is_named(orientation: int, compression: str | None) -> None:
    data = tiff(orientation=orientation, compression=compression)
    read, facts = decode_with_facts(data)
    assert read is not None and facts.shape == read.labels.shape == ((3, 2) if orientation >= 5 else (2, 3))
    assert np.array_equal(read.labels, np.asarray(Image.open(BytesIO(data))))
    assert np.array_equal(read.labels, cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED))
    finding, = on_mask(check, facts)
    assert f"Has the orientation {orientation}: Pillow and OpenCV turn it" in finding.message
    row, column = np.argwhere(read.labels == 5)[0]
    assert facts.region((5,)).first == (row, column)  # places too are those of the turned mask


@pytest.mark.parametrize("format_", ["PNG", "WEBP", "JPEG"])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_another_format_lies_as_stored_and_is_named(orientation: int, format_: str) -> None:
    data = with_exif(format_, orientation)
    for facts in (facts_of(data), decode_with_facts(data)[1]):
        assert facts.shape == (2, 3) == np.asarray(Image.open(BytesIO(data))).shape[:2]
        finding, = on_mask(check, facts)
        assert f"Has the EXIF orientation {orientation}: OpenCV turns it" in finding.message


@pytest.mark.parametrize("said", [True, False])
def test_levels_from_white_to_black_are_named(said: bool) -> None:
    data = tiff(photometric="miniswhite")
    if not said:
        place = tag_place(data, 262)
        data = data[:place] + b"\x07\x01" + data[place + 2:]  # CellWidth, which nobody looks at
    read, facts = decode_with_facts(data)
    assert read is not None and np.array_equal(read.labels, LABELS)
    assert np.array_equal(np.asarray(Image.open(BytesIO(data))), 255 - LABELS)
    finding, = on_mask(check, facts)
    assert "MinIsBlack" in finding.message


@pytest.mark.parametrize(("bits", "factor"), [(2, 85), (4, 17)])
def test_few_bits_are_named_since_readers_stretch_them(bits: int, factor: int) -> None:
    data = few_bits(bits)
    assert np.array_equal(np.asarray(Image.open(BytesIO(data))), LEVELS * factor)
    read, facts = decode_with_facts(data)
    assert read is not None and np.array_equal(read.labels, LEVELS)
    finding, = on_mask(check, facts)
    assert f"Has {bits} bits for a pixel: Pillow and OpenCV stretch" in finding.message and f"1 becomes {factor}." in finding.message


@pytest.mark.parametrize("content", [
    few_bits(1), few_bits(8), few_bits(4, color_type=3), few_bits(2, labels=LEVELS * 0), png(mask("0 1")), tiff(), with_exif("PNG", 1),
    with_exif("JPEG", 1), tiff(orientation=9)])
def test_it_leaves_upright_files_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content)) == []


def test_it_leaves_a_mask_alone_that_never_lay_on_disk() -> None:
    assert on_mask(check, mask("0 1")) == []


def test_what_remap_writes_lies_the_same_for_every_reader(tmp_path: Path) -> None:
    source, out = tmp_path / "masks", tmp_path / "out"
    source.mkdir()
    (source / "6.tif").write_bytes(tiff(orientation=6))
    (source / "8.tif").write_bytes(tiff(orientation=8, compression="lzw"))
    (source / "6.png").write_bytes(with_exif("PNG", 6))
    (source / "white.tif").write_bytes(tiff(photometric="miniswhite"))
    (source / "bits.png").write_bytes(few_bits(2))
    seen = {file.name: decode_with_facts(file.read_bytes())[0].labels for file in source.iterdir()}
    assert labelguard.remap(source, out=out, shift=1, num_classes=7).complete
    for name, labels in seen.items():
        data = (out / name).read_bytes()
        assert on_mask(check, facts_of(data)) == []
        readings = [decode_with_facts(data)[0].labels, np.asarray(Image.open(BytesIO(data)))]
        readings += [cv2.imread(str(out / name), flag) for flag in (cv2.IMREAD_GRAYSCALE, cv2.IMREAD_UNCHANGED)]
        readings += [tifffile.imread(out / name)] if name.endswith(".tif") else []
        assert all(np.array_equal(reading, labels + 1) for reading in readings), name

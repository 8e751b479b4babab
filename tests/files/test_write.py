from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from labelguard.facts.mask import Mask, Storage
from labelguard.files import png, png_write
from labelguard.files.mask import decode_with_facts
from labelguard.files.output_folder import UnwritableFileError
from labelguard.files.write import encode, target_name
from tests.drawn import examples
from tests.kernels.strategies import label_images


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@given(st.data())
@examples(40)
def test_png_of_any_depth_reads_back(bits: int, data: st.DataObject) -> None:
    labels = data.draw(label_images(below=1 << bits, dtype=np.uint16 if bits == 16 else np.uint8, longest=40))
    palette = data.draw(st.binary(min_size=3 << bits, max_size=3 << bits)) if bits < 16 and data.draw(st.booleans()) else None
    written = png_write.encode_png(labels, Storage("png", "palette" if palette else "grey", bits, palette=palette))
    decoded, stored = png.decode(written)
    assert np.array_equal(decoded, labels) and (stored.bits, stored.palette) == (bits if palette else max(8, bits), palette)
    assert written == png_write.encode_png(labels.copy(order="F"), Storage("png", "palette" if palette else "grey", bits, palette=palette))


def test_others_read_our_png_too() -> None:
    labels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png_write.encode_png(labels)))), labels)
    wide = labels.astype(np.uint16) * 257
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png_write.encode_png(wide)))), wide)


def test_a_depth_that_no_longer_holds_the_ids_grows() -> None:
    labels = np.array([[0, 7]], np.uint8)
    assert png.decode(png_write.encode_png(labels, Storage("png", bits=2)))[1].bits == 8
    assert png.decode(png_write.encode_png(labels, Storage("png", "palette", 2, palette=bytes(12))))[1].bits == 8


def test_a_palette_has_a_color_for_every_id() -> None:
    decoded, stored = png.decode(png_write.encode_png(np.array([[0, 5]], np.uint8), Storage("png", "palette", 8, palette=b"\1\2\3")))
    assert decoded.tolist() == [[0, 5]] and stored.palette == b"\1\2\3" + bytes(15)


@pytest.mark.parametrize("labels", [np.array([[0, 300]], np.uint16), np.array([[0, 70_000]], np.int32), np.array([[-1, 5]], np.int16)])
@pytest.mark.parametrize("codec", ["", "deflate"])
def test_tiff_and_npy_stay_what_they_were(labels: NDArray[Any], codec: str) -> None:
    for stored in (Storage("tiff", codec=codec), Storage("npy")):
        written = encode(Mask(labels, "m", stored))
        mask, _ = decode_with_facts(written)
        assert mask.stored.format == stored.format and np.array_equal(mask.labels, labels) and mask.labels.dtype == labels.dtype
        assert written == encode(Mask(labels, "m", stored))


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"])
@pytest.mark.parametrize("codec", ["", "LZW"])
@pytest.mark.parametrize("shape", [(1, 1), (700, 600), (3, 5)])
def test_others_read_our_tiff_too(dtype: str, codec: str, shape: tuple[int, int]) -> None:
    labels = np.random.default_rng(0).integers(0, 120, shape).astype(dtype)
    written = encode(Mask(labels, "m", Storage("tiff", codec=codec, orientation=6)))
    assert np.array_equal(tifffile.imread(io.BytesIO(written)), labels) and np.array_equal(decode_with_facts(written)[0].labels, labels)
    if dtype in ("u1", "u2", "i4"):
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(written))), labels)


def test_a_palette_tiff_stays_one() -> None:
    written = encode(Mask(np.array([[0, 1]], np.uint8), "m", Storage("tiff", "palette", palette=bytes([9, 8, 7, 6, 5, 4]))))
    mask, _ = decode_with_facts(written)
    assert mask.stored.channels == "palette" and mask.stored.palette[:6] == bytes([9, 8, 7, 6, 5, 4])
    with tifffile.TiffFile(io.BytesIO(written)) as file:
        assert file.pages[0].photometric == tifffile.PHOTOMETRIC.PALETTE


def test_ids_that_png_has_no_room_for_are_refused() -> None:
    with pytest.raises(UnwritableFileError, match="-1 to 5"):
        encode(Mask(np.array([[-1, 5]], np.int16), "m", Storage("bmp")))


@pytest.mark.parametrize(("name", "format_", "target"), [
    ("a.png", "png", "a.png"), ("b/a.PNG", "png", "b/a.PNG"), ("a.tif", "tiff", "a.tif"), ("a.npy", "npy", "a.npy"),
    ("a.jpg", "jpeg", "a.png"), ("b.c/a.bmp", "bmp", "b.c/a.png"), ("a.gif", "gif", "a.png"), ("a.png", "jpeg", "a.png"),
    ("a.tif", "png", "a.png"), ("a", "png", "a.png"), ("a.jpg", "tiff", "a.tif"), ("a.b.c.png", "png", "a.b.c.png")])
def test_names_and_folders_are_kept(name: str, format_: str, target: str) -> None:
    assert target_name(name, format_) == target


def test_files_are_small(real_data: Path) -> None:
    for path in sorted((real_data / "cityscapes" / "labelIds").glob("*.png"))[:2]:
        mask, _ = decode_with_facts(path.read_bytes())
        pillow = io.BytesIO()
        Image.fromarray(mask.labels).save(pillow, "png")
        assert len(png_write.encode_png(mask.labels)) <= len(pillow.getvalue())


def test_without_zlib_ng_the_pixels_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png_write, "_deflate", zlib)
    labels = np.arange(64, dtype=np.uint8).reshape(8, 8)
    assert np.array_equal(png.decode(png_write.encode_png(labels))[0], labels)

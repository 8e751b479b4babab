"""The colors of a file are the same numbers in every layout that holds them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files.colors import as_numbers, color_of_number, colors_of, decode_colors

RGB = np.random.default_rng(5).integers(0, 256, (7, 9, 3), dtype=np.uint8)
NUMBERS = RGB[..., 0].astype(int) << 16 | RGB[..., 1].astype(int) << 8 | RGB[..., 2]


def saved(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def colors(content: bytes) -> np.ndarray[Any, Any]:
    mask, facts = decode_colors(content)
    assert mask is not None and sum(facts.counts.values()) == mask.labels.size
    return mask.labels


def tiff(samples: Any, **options: Any) -> bytes:
    buffer = BytesIO()
    tifffile.imwrite(buffer, samples, photometric="rgb", **options)
    return buffer.getvalue()


def npy(samples: Any) -> bytes:
    buffer = BytesIO()
    np.save(buffer, samples)
    return buffer.getvalue()


@pytest.mark.parametrize("content", [
    saved(Image.fromarray(RGB)), saved(Image.fromarray(RGB).convert("RGBA")), saved(Image.fromarray(RGB), "BMP"),
    saved(Image.fromarray(RGB), "WEBP", lossless=True), tiff(RGB),
    tiff(np.moveaxis(RGB, 2, 0), planarconfig="separate"), tiff(RGB.astype(np.uint16) * 257), tiff(RGB.astype(np.uint16)),
    npy(RGB), npy(RGB.astype(np.int64)),
])
def test_every_layout_gives_the_same_colors(content: bytes) -> None:
    assert np.array_equal(colors(content), NUMBERS)


def test_a_palette_file_gives_the_colors_of_its_palette() -> None:
    palette = RGB.reshape(-1, 3)
    image = Image.fromarray(np.arange(63, dtype=np.uint8).reshape(7, 9), "P")
    image.putpalette(palette.tobytes())
    assert np.array_equal(colors(saved(image)), NUMBERS)


@pytest.mark.parametrize(("content", "levels"), [
    (saved(Image.fromarray(np.array([[0, 7, 255]], np.uint8))), [0, 7, 255]),
    (saved(Image.fromarray(np.array([[False, True]]))), [0, 255]),
    (saved(Image.fromarray(np.array([[0, 5]], np.uint8)).convert("LA")), [0, 5]),
])
def test_grey_is_a_color(content: bytes, levels: list[int]) -> None:
    assert colors(content).tolist() == [[level * 0x010101 for level in levels]]


@pytest.mark.parametrize(("bits", "top"), [(1, 1), (2, 3), (4, 15)])
def test_few_bits_reach_from_black_to_white(bits: int, top: int) -> None:
    samples = np.array([[0, 1, top]], np.uint8)
    assert colors_of(samples, Storage("png", bits=bits)).tolist() == [[0, 255 // top * 0x010101, 0xFFFFFF]]
    assert colors_of(samples, Storage("bmp", bits=bits)).tolist() == [[0, 0x010101, top * 0x010101]]


def test_alpha_sets_a_color_apart_unless_it_is_opaque() -> None:
    numbers = as_numbers(np.array([[[1, 2, 3, 255], [1, 2, 3, 254], [1, 2, 3, 0]]], np.uint8))[0].tolist()
    assert [color_of_number(number) for number in numbers] == [(1, 2, 3), (1, 2, 3, 254), (1, 2, 3, 0)] and numbers[0] == 0x010203


def test_a_lossy_file_gives_no_colors() -> None:
    for form in ("JPEG", "WEBP"):
        mask, facts = decode_colors(saved(Image.fromarray(RGB), form))
        assert mask is None and facts.stored is not None and facts.stored.lossy


@pytest.mark.parametrize(("content", "words"), [
    (npy(RGB / np.float32(255)), "not all are colors of 8 bits"),
    (npy(RGB.astype(np.uint16) * 257 + 1), "not all are colors of 8 bits"),
    (npy(RGB.astype(np.int16) - 300), "not all are colors of 8 bits"),
    (npy(np.zeros((4, 5, 2), np.uint8)), "2 values in each pixel"),
    (b"", "is empty"),
])
def test_what_holds_no_colors_of_8_bits_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableMaskError, match=words):
        decode_colors(content)


def test_an_index_without_a_color_is_refused_with_its_place() -> None:
    with pytest.raises(Exception, match=r"index 2, and its palette has 2 colors; the first pixel without a color is in row 0, column 1"):
        colors_of(np.array([[0, 2]], np.uint8), Storage("png", "palette", palette=bytes(6)))

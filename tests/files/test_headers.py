"""Sizes and orientations from headers alone."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from labelguard.errors import UnreadableMaskError
from labelguard.files import _chunks, headers
from labelguard.files.exif import as_displayed, orientation_of
from labelguard.files.headers import read_header
from labelguard.files.image import as_colors, decode_image, image_facts
from tests.checks.scenes import saved

PHOTO = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.uint8)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format_", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_orientation_is_read_and_not_obeyed(format_: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(Image.fromarray(PHOTO), format_, exif=exif)
    assert read_header(data) == ((40, 60), orientation)
    samples, facts = decode_image(data)
    assert samples.shape == (40, 60, 3) and facts.orientation == orientation
    assert facts.displayed == ((60, 40) if orientation >= 5 else (40, 60))
    turned = ImageOps.exif_transpose(Image.open(BytesIO(data)))
    assert (as_displayed(samples, orientation) == np.asarray(turned.convert("RGB"))).all()


@pytest.mark.parametrize("format_", ["PNG", "GIF", "TIFF", "BMP"])
def test_indices_stand_for_colors(format_: str) -> None:
    data = saved(Image.fromarray(PHOTO).quantize(20), format_)
    samples, facts = decode_image(data)
    assert facts.stored is not None
    assert (as_colors(samples, facts.stored) == np.asarray(Image.open(BytesIO(data)).convert("RGB"))).all()


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "TIFF", "WEBP", "BMP", "GIF"])
def test_without_exif_an_image_is_upright(format_: str) -> None:
    image = Image.fromarray(PHOTO)
    assert read_header(saved(image.convert("P") if format_ == "GIF" else image, format_)) == ((40, 60), 1)


@pytest.mark.parametrize(("shape", "expected"), [((4, 6), (4, 6)), ((4, 6, 3), (4, 6)), ((1, 5, 6), (5, 6))])
def test_npy(shape: tuple[int, ...], expected: tuple[int, int]) -> None:
    file = BytesIO()
    np.save(file, np.zeros(shape, np.uint8))
    assert read_header(file.getvalue()) == (expected, 1) and image_facts(file.getvalue()).shape == expected


def block(order: str = "<", tag: int = 0x0112, kind: int = 3, count: int = 1, value: int = 6) -> bytes:
    mark = b"II" if order == "<" else b"MM"
    return mark + struct.pack(order + "HIHHHIHH", 42, 8, 1, tag, kind, count, value, 0)


@pytest.mark.parametrize(("data", "orientation"), [
    (block(), 6), (block(">"), 6), (block(value=1), 1), (block(tag=0x0111), 1), (block(kind=4), 1), (block(count=2), 1),
    (b"", 1), (b"II*\0", 1), (block()[:-6], 1), (b"XX" + block()[2:], 1), (b"II+\0" + block()[4:], 1)])
def test_a_damaged_block_says_nothing(data: bytes, orientation: int) -> None:
    assert orientation_of(data) == orientation


@given(st.sampled_from(["JPEG", "PNG", "TIFF", "WEBP", "BMP", "GIF"]), st.integers(0, 2000), st.binary(max_size=3))
def test_damage_is_a_reason_in_words_and_nothing_else(format_: str, at: int, junk: bytes) -> None:
    data = saved(Image.fromarray(PHOTO[:9, :9, 0]), format_)
    for damaged in (data[:at], data[:at] + junk + data[at + 3:]):
        try:
            (height, width), orientation = read_header(damaged)
        except UnreadableMaskError as reason:
            assert str(reason)
        else:
            assert height > 0 and width > 0 and 1 <= orientation <= 8


@pytest.mark.parametrize("data", [b"", b"no image", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xda\0\0\0\0\0\0"])
def test_what_is_no_image_is_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableMaskError):
        read_header(data)


def test_the_header_tells_what_decoding_tells(real_data: Path) -> None:
    for folder in ("camvid/images", "pets/images", "pngsuite", "tiff_types"):
        for path in sorted((real_data / folder).iterdir())[:60]:
            data = path.read_bytes()
            try:
                shape = image_facts(data, path.name).shape
            except UnreadableMaskError:
                continue
            assert read_header(data)[0] == shape == image_facts(data, path.name, pixels=False).shape, path.name


def test_only_so_many_pieces_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    png, jpeg = saved(Image.fromarray(PHOTO), "PNG"), saved(Image.fromarray(PHOTO), "JPEG")
    have = 1 + png.count(b"IDAT") + 1  # with IHDR and IEND
    monkeypatch.setattr(headers, "_MOST_CHUNKS", 30)
    assert read_header(png + (29 - have) * (bytes(4) + b"tEXt" + bytes(4)))[0] == (40, 60)
    with pytest.raises(UnreadableMaskError, match="is cut into more than 30 chunks"):
        read_header(png + (30 - have) * (bytes(4) + b"tEXt" + bytes(4)))
    monkeypatch.setattr(headers, "_MAX_SEGMENTS", 30)
    assert read_header(jpeg[:2] + 20 * b"\xff\xfe\0\2" + jpeg[2:])[0] == (40, 60)
    with pytest.raises(UnreadableMaskError, match="more than 30 segments"):
        read_header(jpeg[:2] + 30 * b"\xff\xfe\0\2" + jpeg[2:])


def test_filling_before_a_marker_is_passed_over_at_once() -> None:
    data = saved(Image.fromarray(PHOTO), "JPEG")
    assert read_header(data[:2] + b"\xff" * 20_000_000 + data[2:]) == ((40, 60), 1)


def test_only_the_first_entries_of_an_exif_block_are_looked_at() -> None:
    def long(before: int) -> bytes:
        entries = before * struct.pack("<HHIHH", 0x0100, 3, 1, 0, 0) + struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
        return b"II" + struct.pack("<HIH", 42, 8, before + 1) + entries
    assert (orientation_of(long(255)), orientation_of(long(256))) == (6, 1)


def test_of_many_exif_blocks_in_a_png_the_last_is_parsed_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    for module in (headers, _chunks):
        monkeypatch.setattr(module, "orientation_of", lambda block: parsed.append(block) or orientation_of(block))
    data = saved(Image.fromarray(PHOTO), "PNG")
    blocks = [b"eXIf" + block(value=value) for value in (3, 8, 6)]
    flood = b"".join((len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big") for body in blocks)
    assert read_header(data[:33] + flood + data[33:]) == ((40, 60), 6)
    assert _chunks.parse(data[:33] + flood + data[33:]).orientation == 6
    assert parsed == [block(value=6)] * 2

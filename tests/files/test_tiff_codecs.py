"""TIFF codecs: those of label files are undone exactly and within bounds, the others are named, and none is decoded in C that can crash."""

from __future__ import annotations

import struct
import sys
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from labelguard.checks import lossy_container
from labelguard.errors import UnreadableMaskError
from labelguard.files import tiff
from labelguard.files.image import image_facts
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.files.not_decoded import NotDecodedError
from tests.checks.scenes import on_mask
from tests.files.test_tiff import COLORS, LABELS, built, saved, tag_place

WIDE = np.random.default_rng(2).integers(-9, 300, (40, 70))


@pytest.mark.parametrize("options", [{}, {"tile": (16, 16)}, {"rowsperstrip": 7}, {"byteorder": ">"}], ids=str)
@pytest.mark.parametrize("compression", ["lzw", "packbits", "zlib", "deflate", "zstd", "lzma"])
def test_the_codecs_of_label_files_give_exact_values(compression: str, options: dict[str, Any]) -> None:
    for array in (WIDE.astype(np.int16), COLORS):
        given, how = tiff.decode(saved(array, photometric="rgb" if array.ndim == 3 else "minisblack", compression=compression, **options))
        assert np.array_equal(given, array) and how.codec.lower() == compression.replace("zlib", "deflate") and not how.lossy


@pytest.mark.parametrize("options", [{}, {"byteorder": ">", "tile": (16, 32)}], ids=str)
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("compression", ["lzw", "zlib"])
def test_differences_along_rows_are_undone(dtype: str, compression: str, options: dict[str, Any]) -> None:
    predictor = 3 if dtype[0] == "f" else 2
    for array in (WIDE.astype(dtype), np.dstack((WIDE, WIDE[::-1], 2 * WIDE)).astype(dtype)):
        data = saved(array, planarconfig="contig", compression=compression, predictor=predictor, **options)
        given, _ = tiff.decode(data)
        assert np.array_equal(given, array) and given.dtype == array.dtype


def test_a_predictor_that_is_none_is_refused() -> None:
    data = bytearray(saved(LABELS, compression="zlib", predictor=2))
    data[tag_place(data, 317) + 8] = 7
    with pytest.raises(UnreadableMaskError, match="predictor 7"):
        tiff.decode(bytes(data))


@pytest.mark.parametrize("compression", [None, "packbits"])
def test_a_predictor_without_a_codec_that_has_one_is_refused(compression: str | None) -> None:
    data = bytearray(saved(LABELS, compression=compression))
    place = tag_place(data, 296)  # ResolutionUnit becomes Predictor
    data[place:place + 2] = struct.pack("<H", 317)
    assert np.array_equal(tiff.decode(bytes(data))[0], LABELS)
    data[place + 8] = 2
    with pytest.raises(UnreadableMaskError, match="predictor 2 does not go with its compression"):
        tiff.decode(bytes(data))


def test_the_bits_of_bytes_may_be_stored_the_other_way_around() -> None:
    labels = LABELS > 0
    rows = np.packbits(labels, axis=1, bitorder="little").tobytes()
    tags = [(256, 4, 1, 21), (257, 4, 1, 19), (258, 3, 1, 1), (259, 3, 1, 1), (262, 3, 1, 1), (266, 3, 1, 2), (273, 4, 1, 8),
            (277, 3, 1, 1), (278, 4, 1, 19), (279, 4, 1, len(rows))]
    data = built(tags, rows)
    assert np.array_equal(tiff.decode(data)[0], labels) and np.array_equal(np.asarray(Image.open(BytesIO(data))), labels)


@pytest.mark.parametrize("compression", ["zlib", "lzw", "zstd", "lzma", "packbits"])
def test_zeroed_strips_are_named_with_place_and_codec(compression: str) -> None:
    data = saved(LABELS, compression=compression)
    with tifffile.TiffFile(BytesIO(data)) as file:
        start, size = file.pages.first.dataoffsets[0], file.pages.first.databytecounts[0]
    with pytest.raises(UnreadableMaskError, match=f"the strip at byte {start}"):
        tiff.decode(data[:start] + bytes(size) + data[start + size:])


@pytest.mark.parametrize("compression", ["zlib", "lzw", "zstd", "lzma", "packbits"])
def test_a_strip_that_holds_more_or_less_than_the_page_has_room_for_is_refused(compression: str) -> None:
    for rows, reason in ((18, "goes on after the 378 bytes"), (20, "not hold as many pixels")):
        data = bytearray(saved(LABELS, compression=compression))
        for code in (257, 278):
            struct.pack_into("<H", data, tag_place(data, code) + 8, rows)
        with pytest.raises(UnreadableMaskError, match=reason):
            tiff.decode(bytes(data))


@pytest.mark.parametrize("compression", [None, "zlib", "lzw"])
def test_tiles_are_whole_even_where_the_page_shows_little_of_them(compression: str | None) -> None:
    data = bytearray(saved(LABELS, compression=compression, tile=(16, 32)))
    struct.pack_into("<H", data, tag_place(data, 323) + 8, 48)  # TileLength: one tile with 16 rows of 48, of which the page shows 19
    with pytest.raises(UnreadableMaskError, match="does not hold as many pixels"):
        tiff.decode(bytes(data))


@pytest.mark.parametrize("compression", ["zlib", "zstd", "lzma"])
def test_a_stream_without_an_end_is_refused(compression: str) -> None:
    data = bytearray(saved(LABELS, compression=compression))
    place = tag_place(data, 279) + 8
    struct.pack_into("<I", data, place, struct.unpack_from("<H", data, place)[0] - 1)
    data[place - 6:place - 4] = struct.pack("<H", 4)
    with pytest.raises(UnreadableMaskError, match="its stream has no end"):
        tiff.decode(bytes(data))


def test_strips_that_overlap_are_refused_and_never_copied() -> None:
    strips = 5000
    tags = [(256, 4, 1, 16), (257, 4, 1, strips), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1), (273, 4, strips, 8), (277, 3, 1, 1),
            (278, 4, 1, 1), (279, 4, strips, 8 + 4 * strips)]
    body = struct.pack(f"<{strips}I", *[8] * strips) + struct.pack(f"<{strips}I", *[30_000] * strips)
    with pytest.raises(UnreadableMaskError, match="claim 150,000,000 bytes in all, and the file has only .*: they overlap"):
        tiff.decode(built(tags, body))


def test_more_strips_than_any_writer_makes_are_refused() -> None:
    strips = 1 << 18
    for number in (strips, strips + 1):
        tags = [(256, 4, 1, 1), (257, 4, 1, number), (258, 3, 1, 8), (259, 3, 1, 5), (262, 3, 1, 1), (273, 4, number, 8), (278, 4, 1, 1),
                (279, 4, number, 8)]
        with pytest.raises(UnreadableMaskError, match="the limit is 262,144" if number > strips else "every strip is empty"):
            tiff.decode(built(tags, bytes(4 * number)))


def test_tiles_that_would_take_hours_are_refused() -> None:
    tiles, tag = 4096, 8
    tags = [(256, 4, 1, 1), (257, 4, 1, 16 * tiles), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1), (277, 3, 1, 1),
            (322, 4, 1, 1 << 20), (323, 4, 1, 16), (324, 4, tiles, tag), (325, 4, tiles, tag)]
    with pytest.raises(UnreadableMaskError, match="take too much to decode"):
        tiff.decode(built(tags, struct.pack("<I", 1) * tiles))


def test_parts_that_are_left_out_hold_what_gdal_says() -> None:
    data = saved(LABELS, rowsperstrip=10, extratags=[(42113, 2, 4, b"7\0\0\0", True)])
    with tifffile.TiffFile(BytesIO(data)) as file:
        tags = file.pages.first.tags
        places = [tags[code].valueoffset for code in (273, 279)]
        sizes = [tags[code].dtype_name for code in (273, 279)]
    holed = bytearray(data)
    for place, size in zip(places, sizes, strict=True):
        width = 2 if size == "SHORT" else 4
        holed[place:place + width] = bytes(width)
    array, _ = tiff.decode(bytes(holed))
    assert (array[:10] == 7).all() and np.array_equal(array[10:], LABELS[10:])
    at = holed.index(b"7\0\0\0")
    holed[at:at + 3] = b"300"
    with pytest.raises(UnreadableMaskError, match="parts that hold 300, a number that its samples cannot hold"):
        tiff.decode(bytes(holed))


@pytest.mark.parametrize(("compression", "arguments", "name"), [
    ("png", {}, "PNG"), ("lerc", {}, "LERC"), ("jpeg2000", {}, "JPEG 2000"), ("webp", {"lossless": True}, "WebP")])
def test_other_lossless_codecs_are_to_be_converted_first(compression: str, arguments: dict[str, Any], name: str) -> None:
    data = saved(COLORS, photometric="rgb", compression=compression, compressionargs=arguments)
    for read in (tiff.decode, facts_of, decode_with_facts):
        with pytest.raises(UnreadableMaskError, match=f"^is compressed as {name} inside TIFF, .*; convert it first: pip install tifffile"):
            read(data)


@pytest.mark.parametrize("compression", ["group3", "group4", "tiff_ccitt"])
def test_fax_is_to_be_converted_first(compression: str) -> None:
    target = BytesIO()
    Image.fromarray(LABELS > 0).save(target, "TIFF", compression=compression)
    with pytest.raises(UnreadableMaskError, match="compressed as CCITT .* convert it first"):
        facts_of(target.getvalue())


@pytest.mark.parametrize(("compression", "arguments"), [
    ("jpeg", {"level": 60}), ("webp", {"level": 50, "lossless": False}), ("jpeg2000", {"level": 30, "reversible": False}),
    ("jpegxr", {"level": 0.5}), ("jpegxl", {"level": 50}), ("lerc", {"level": 5.0})])
def test_lossy_codecs_are_called_lossy_by_their_header_alone(compression: str, arguments: dict[str, Any]) -> None:
    data = saved(COLORS, photometric="rgb", compression=compression, compressionargs=arguments)
    facts = facts_of(data)
    assert facts.stored is not None and facts.stored.lossy and facts.shape == COLORS.shape[:2] and not facts.present and not facts.exact
    finding, = on_mask(lossy_container, facts)
    assert finding.code == "LG002" and finding.message.startswith(f"Stored as TIFF ({facts.stored.codec}), a lossy codec")
    assert decode_with_facts(data, "a.png")[0] is None and facts_of(data, "a.png").stored.wrong_suffix == ".png"
    with pytest.raises(NotDecodedError):
        tiff.decode(data)


def test_an_image_of_another_codec_is_known_by_its_header() -> None:
    facts = image_facts(saved(COLORS, photometric="rgb", compression="jpeg"))
    assert facts.shape == COLORS.shape[:2] and facts.stored is not None and facts.stored.channels == "rgb" and facts.pixels is None


def test_without_a_package_for_zstd_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(LABELS, compression="zstd")
    for name in ("backports", "compression"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnreadableMaskError, match="pip install backports.zstd"):
        tiff.decode(data)

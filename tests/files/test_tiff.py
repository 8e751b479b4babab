"""TIFF files: samples exactly as stored whatever the type, codec and layout; damage named; nothing on stderr."""

from __future__ import annotations

import struct
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.files import _ifd, tiff

LABELS = np.random.default_rng(0).integers(0, 2, (19, 21)).astype(np.uint8)
COLORS = np.random.default_rng(1).integers(0, 256, (19, 21, 3), np.uint8)


def saved(array: np.ndarray, **options: Any) -> bytes:
    target = BytesIO()
    tifffile.imwrite(target, array, **{"photometric": "minisblack", **options})
    return target.getvalue()


def built(tags: list[tuple[int, int, int, int]], body: bytes) -> bytes:
    """A little-endian TIFF of one page from tags (code, type, count, value); the body begins at byte 8."""
    head = struct.pack("<2sHI", b"II", 42, 8 + len(body)) + body
    return head + struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)


def tag_place(data: bytes | bytearray, code: int) -> int:
    """Where the entry of a tag begins in a little-endian TIFF whose first directory comes first."""
    at = struct.unpack_from("<I", data, 4)[0]
    return next(place for place in range(at + 2, len(data), 12) if struct.unpack_from("<H", data, place)[0] == code)


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("options", [{}, {"byteorder": ">"}, {"compression": "zlib"}, {"tile": (16, 16), "byteorder": ">"},
                                     {"bigtiff": True}], ids=str)
def test_every_sample_type_comes_back_as_stored(dtype: str, options: dict[str, Any]) -> None:
    if dtype == "bool" and "tile" in options:
        pytest.skip("tifffile writes no bilevel tiles")
    labels = LABELS.astype(dtype)
    if dtype[0] == "i":
        labels -= 1
    array, how = tiff.decode(saved(labels, **options))
    assert np.array_equal(array, labels) and array.dtype == labels.dtype and array.dtype.isnative
    bits = 1 if dtype == "bool" else 8 * labels.dtype.itemsize
    assert (how.format, how.channels, how.kind, how.bits) == ("tiff", "grey", labels.dtype.kind, bits)
    assert (how.lossy, how.pages, how.palette) == (False, 1, None)


@pytest.mark.parametrize("bits", [2, 4, 12])
def test_packed_samples_are_exact(bits: int) -> None:
    labels = np.random.default_rng(bits).integers(0, 1 << bits, (3, 5)).astype(np.uint16)
    spread = (labels[:, :, None] >> np.arange(bits)[::-1] & 1).astype(np.uint8).reshape(3, -1)
    body = np.packbits(spread, axis=1).tobytes()
    tags = [(256, 4, 1, 5), (257, 4, 1, 3), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1),
            (278, 4, 1, 3), (279, 4, 1, len(body))]
    array, how = tiff.decode(built(tags, body))
    assert np.array_equal(array, labels) and (how.bits, how.kind) == (bits, "u")


def test_white_is_zero_is_not_inverted() -> None:
    labels = np.arange(6, dtype=np.uint8).reshape(2, 3)
    array, how = tiff.decode(saved(labels, photometric="miniswhite"))
    assert np.array_equal(array, labels) and how.channels == "grey"


@pytest.mark.parametrize("scale", [1, 257])
def test_palette_files_give_indices_and_eight_bit_colors(scale: int) -> None:
    colors = np.arange(768, dtype=np.uint16).reshape(3, 256) % 256
    array, how = tiff.decode(saved(LABELS, photometric="palette", colormap=colors * np.uint16(scale)))
    assert np.array_equal(array, LABELS) and how.channels == "palette"
    assert how.palette is not None and np.array_equal(np.frombuffer(how.palette, np.uint8).reshape(256, 3), colors.T)


def test_palette_files_of_pillow_give_indices() -> None:
    image = Image.fromarray(LABELS)
    image.putpalette([7, 7, 7, 200, 0, 0])
    target = BytesIO()
    image.save(target, "TIFF")
    array, how = tiff.decode(target.getvalue())
    assert np.array_equal(array, LABELS)
    assert how.palette is not None and how.palette[:6] == bytes((7, 7, 7, 200, 0, 0))


@pytest.mark.parametrize(("array", "options", "channels"), [
    (COLORS, {"photometric": "rgb"}, "rgb"),
    (np.dstack((COLORS, LABELS)), {"photometric": "rgb", "extrasamples": ["unassalpha"]}, "rgba"),
    (np.dstack((COLORS, LABELS)), {"photometric": "rgb", "extrasamples": ["unspecified"]}, "other"),
    (COLORS[:, :, :2], {"extrasamples": ["unassalpha"], "planarconfig": "contig"}, "grey-alpha"),
    (COLORS, {"planarconfig": "contig"}, "other"),
    (np.dstack((COLORS, LABELS)), {"photometric": "separated"}, "other")])
def test_channels_are_named(array: np.ndarray, options: dict[str, Any], channels: str) -> None:
    given, how = tiff.decode(saved(array, **options))
    assert np.array_equal(given, array) and how.channels == channels


@pytest.mark.parametrize("options", [{}, {"tile": (16, 16)}, {"compression": "zlib", "rowsperstrip": 5}], ids=str)
def test_separate_planes_become_channels_at_the_end(options: dict[str, Any]) -> None:
    array, _ = tiff.decode(saved(np.moveaxis(COLORS, -1, 0), photometric="rgb", planarconfig="separate", **options))
    assert np.array_equal(array, COLORS)


@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}, {"imagej": True}, {"truncate": True},
                                     {"volumetric": True, "tile": (1, 16, 16)}], ids=str)
def test_pages_are_counted_and_the_first_is_read(options: dict[str, Any]) -> None:
    array, how = tiff.decode(saved(np.stack((LABELS, 1 - LABELS, LABELS)), **options))
    assert np.array_equal(array, LABELS) and how.pages == 3


def test_reduced_images_and_sub_directories_are_no_pages() -> None:
    target = BytesIO()
    with tifffile.TiffWriter(target) as writer:
        writer.write(LABELS, photometric="minisblack", subifds=1)
        writer.write(LABELS[::2, ::2], photometric="minisblack", subfiletype=1)
        writer.write(LABELS[::4, ::4], photometric="minisblack", subfiletype=1)
    assert tiff.decode(target.getvalue())[1].pages == 1


def test_slices_that_are_claimed_but_not_there_do_not_count() -> None:
    assert tiff.decode(saved(LABELS, description="ImageJ=1.53\nimages=50\n", metadata=None))[1].pages == 1


def test_pages_are_counted_up_to_a_bound() -> None:
    page = struct.pack("<H", 2) + struct.pack("<HHII", 256, 4, 1, 1) + struct.pack("<HHII", 257, 4, 1, 1)
    size = len(page) + 4
    data = struct.pack("<2sHI", b"II", 42, 8) + b"".join(page + struct.pack("<I", 8 + (i + 1) * size) for i in range(10_050))
    assert _ifd.walk(data).pages == _ifd.MAX_PAGES


def test_a_circle_of_pages_is_refused() -> None:
    data = bytearray(saved(LABELS))
    at = struct.unpack_from("<I", data, 4)[0]
    end = at + 2 + 12 * struct.unpack_from("<H", data, at)[0]
    data[end:end + 4] = struct.pack("<I", at)
    with pytest.raises(UnreadableMaskError, match="runs in a circle"):
        tiff.decode(bytes(data))


@pytest.mark.parametrize("options", [{}, {"bigtiff": True}, {"byteorder": ">"}, {"compression": "zlib"},
                                     {"compression": "packbits"}, {"compression": "lzw", "tile": (16, 16)}], ids=str)
def test_no_cut_is_ever_read(options: dict[str, Any]) -> None:
    data = saved(LABELS, **options)
    for size in range(0, len(data), 3):
        with pytest.raises(UnreadableMaskError):
            tiff.decode(data[:size])
    with pytest.raises(UnreadableMaskError, match="^ends 1 byte early$"):
        tiff.decode(data[:-1])


def test_missing_strips_are_not_taken_for_background() -> None:
    data = bytearray(saved(LABELS))
    for code in (273, 279):
        place = tag_place(data, code)
        data[place + 8:place + 12] = bytes(4)
    with pytest.raises(UnreadableMaskError, match="every strip is empty"):
        tiff.decode(bytes(data))


@pytest.mark.parametrize(("code", "field", "value", "reason"), [
    (257, 8, 1 << 21, "takes .* MB decoded"), (256, 8, 1 << 31, "takes .* MB decoded"), (257, 8, 0, "without pixels"),
    (258, 2, 5, "tag BitsPerSample at byte .* is damaged"), (279, 8, 1 << 20, "ends .* bytes early"),
    (259, 8, 999, "uses compression 999"), (339, 8, 6, "complex"), (339, 8, 3, "one whole or floating type"),
    (258, 8, 1, "stores 399 bytes of pixels where its header has room for 57"), (258, 8, 16, "stores 399 bytes .* asks for 798"),
    (257, 4, 1 << 20, "tag ImageLength .* damaged")])
def test_damaged_tags_are_named(code: int, field: int, value: int, reason: str) -> None:
    data = bytearray(saved(LABELS.astype(np.int8 if code == 339 else np.uint8)))  # unsigned is the default and has no tag
    place = tag_place(data, code) + field
    width = 2 if field == 2 else 4
    data[place:place + width] = value.to_bytes(width, "little")
    with pytest.raises(UnreadableMaskError, match=reason):
        tiff.decode(bytes(data))


def test_complex_samples_are_refused_as_such() -> None:
    with pytest.raises(UnreadableMaskError, match="holds complex numbers"):
        tiff.decode(saved(LABELS.astype(np.complex64)))


def run(code: str) -> tuple[str, str]:
    """What a fresh interpreter prints on stdout and stderr."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    return done.stdout.strip(), done.stderr


def test_damage_prints_nothing() -> None:
    data = saved(LABELS)
    place = tag_place(data, 305)
    damaged = data[:place + 2] + b"\xff\xff" + data[place + 4:]  # a tag of no known type, which tifffile complains about
    code = f"from labelguard.files import tiff; print(tiff.decode(bytes.fromhex({damaged.hex()!r}))[0].sum())"
    assert run(code) == (str(LABELS.sum()), "")


def test_importing_the_reader_imports_no_library_of_images() -> None:
    code = ("import sys; from labelguard.files import tiff, bmp, gif, webp, jpeg, npy; "
            "print([name for name in ('tifffile', 'imagecodecs', 'PIL') if name in sys.modules])")
    assert run(code) == ("[]", "")


def test_the_magic_bytes_are_recognized() -> None:
    for options in ({}, {"byteorder": ">"}, {"bigtiff": True}, {"bigtiff": True, "byteorder": ">"}):
        assert tiff.matches(saved(LABELS, **options)[:64])
    assert not tiff.matches(b"IIII") and not tiff.matches(b"MM") and not tiff.matches(b"")


def first_plane(file: Path) -> np.ndarray:
    """The first page as tifffile alone gives it, channels last."""
    with tifffile.TiffFile(file) as whole:
        page = whole.pages.first
        array = page.asarray()
        if page.axes == "SYX":
            return np.moveaxis(array, 0, -1)
        return array[0] if page.axes == "ZYX" else array


@pytest.mark.parametrize("folder", ["tiff_types", "tiff_labels"])
def test_real_files_are_read_exactly_or_say_why_not(real_data: Path, folder: str) -> None:
    files = sorted((real_data / folder).glob("*.tif"))
    assert files
    for file in files:
        if file.name.startswith(("gray.c8.", "gray.c16.")):
            with pytest.raises(UnreadableMaskError, match="holds complex numbers"):
                tiff.decode(file.read_bytes())
            continue
        if any(codec in file.name for codec in ("jpeg", "webp", "lerc", "png")):
            with pytest.raises(UnreadableMaskError, match="convert it first"):
                tiff.decode(file.read_bytes())
            continue
        array, how = tiff.decode(file.read_bytes())
        expected = first_plane(file)
        assert array.dtype == expected.dtype.newbyteorder("=") and np.array_equal(array, expected), file.name
        assert not how.lossy, file.name

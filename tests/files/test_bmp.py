"""BMP files: indices at every depth, run lengths, colors, cuts."""

from __future__ import annotations

import struct
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import UnreadableMaskError
from labelguard.files import bmp
from tests.files.fuzz_seeds import run_length_bmp

LABELS = np.random.default_rng(0).integers(0, 2, (5, 13), np.uint8)
COLORS = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
RED_GREEN = bytes((200, 0, 0, 0, 200, 0))


def saved(image: Image.Image) -> bytes:
    target = BytesIO()
    image.save(target, "BMP")
    return target.getvalue()


def built(rows: list[bytes], width: int, bits: int, palette: bytes = b"", top_down: bool = False, compression: int = 0,
          masks: bytes = b"") -> bytes:
    """A BMP of the common 40-byte header; the palette is R, G, B, the rows come in file order and unpadded."""
    table = b"".join(bytes((palette[at + 2], palette[at + 1], palette[at], 0)) for at in range(0, len(palette), 3))
    start = 54 + len(masks) + len(table)
    body = b"".join(row.ljust(-(-width * bits // 32) * 4, b"\0") for row in rows)
    return (struct.pack("<2sIHHI", b"BM", start + len(body), 0, 0, start)
            + struct.pack("<IiiHHIIiiII", 40, width, -len(rows) if top_down else len(rows), 1, bits, compression, len(body), 0, 0,
                          len(palette) // 3, 0) + masks + table + body)


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_palette_files_give_indices_at_every_depth(bits: int) -> None:
    top = min(1 << bits, 11)
    labels = np.random.default_rng(bits).integers(0, top, (5, 13), np.uint8)
    spread = np.unpackbits(labels[:, :, None], axis=2)[:, :, 8 - bits:].reshape(5, -1)
    rows = [np.packbits(row).tobytes() for row in spread[::-1]]
    palette = bytes(range(3, 3 + 3 * top))
    array, how = bmp.decode(built(rows, 13, bits, palette))
    assert np.array_equal(array, labels) and array.dtype == np.uint8
    assert (how.format, how.channels, how.bits, how.palette, how.lossy) == ("bmp", "palette", bits, palette, False)


@pytest.mark.parametrize("bits", [4, 8])
def test_under_the_grey_ramp_indices_are_grey_levels(bits: int) -> None:
    ramp = bytes(level for level in range(1 << bits) for _ in range(3))
    array, how = bmp.decode(built([bytes((0x12, 0x0F))], 16 // bits, bits, ramp))
    assert array.tolist() == ([[1, 2, 0, 15]] if bits == 4 else [[0x12, 0x0F]])
    assert (how.channels, how.bits, how.palette) == ("grey", bits, None)


def test_black_and_white_are_truth_values_and_white_and_black_indices() -> None:
    black_first = bytes((0, 0, 0, 255, 255, 255))
    array, how = bmp.decode(built([b"\xa0"], 3, 1, black_first))
    assert array.dtype == np.bool_
    assert (array.tolist(), how.kind, how.channels) == ([[True, False, True]], "b", "grey")
    array, how = bmp.decode(built([b"\xa0"], 3, 1, black_first[::-1]))
    assert (array.tolist(), how.kind, how.channels) == ([[1, 0, 1]], "u", "palette")


def test_what_pillow_writes_comes_back() -> None:
    for array in (LABELS, COLORS):
        assert np.array_equal(bmp.decode(saved(Image.fromarray(array)))[0], array)
    assert np.array_equal(bmp.decode(saved(Image.fromarray(LABELS > 0)))[0], LABELS > 0)
    with_alpha = np.dstack((COLORS, COLORS[:, :, 0]))
    array, how = bmp.decode(saved(Image.fromarray(with_alpha)))
    assert np.array_equal(array[:, :, :3], COLORS) and how.channels in ("rgb", "rgba")


def test_rows_may_run_from_the_top() -> None:
    assert bmp.decode(built([b"\1\2", b"\3\4"], 2, 8, bytes(768), top_down=True))[0].tolist() == [[1, 2], [3, 4]]
    assert bmp.decode(built([b"\1\2", b"\3\4"], 2, 8, bytes(768)))[0].tolist() == [[3, 4], [1, 2]]


def test_the_fourth_byte_of_plain_32_bits_is_no_alpha_and_a_mask_makes_it_one() -> None:
    pixel = [bytes((3, 2, 1, 99))]
    array, how = bmp.decode(built(pixel, 1, 32))
    assert (array.tolist(), how.channels) == ([[[1, 2, 3]]], "rgb")
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    array, how = bmp.decode(built(pixel, 1, 32, compression=6, masks=masks))
    assert (array.tolist(), how.channels) == ([[[1, 2, 3, 99]]], "rgba")


def test_16_bits_are_stretched_to_whole_bytes() -> None:
    array, how = bmp.decode(built([struct.pack("<HH", 0x7FFF, 0x001F)], 2, 16))
    assert (array.tolist(), how.channels) == ([[[255, 255, 255], [0, 0, 255]]], "rgb")


@pytest.mark.parametrize("nibbles", [False, True])
def test_run_lengths_are_undone(nibbles: bool) -> None:
    labels = np.random.default_rng(3).integers(0, 16, (5, 9), np.uint8)
    array, how = bmp.decode(run_length_bmp(labels, nibbles))
    assert np.array_equal(array, labels)
    assert (how.channels, how.codec) == ("palette", "RLE4" if nibbles else "RLE8")


def test_literal_runs_and_jumps_are_undone() -> None:
    data = run_length_bmp(np.zeros((2, 5), np.uint8))
    start = struct.unpack_from("<I", data, 10)[0]
    stream = bytes((0, 3, 7, 8, 9, 0,  # three literal pixels and a byte of filling
                    0, 2, 1, 1,  # one to the right, one up
                    1, 6, 0, 1))
    assert bmp.decode(data[:start] + stream)[0].tolist() == [[0, 0, 0, 0, 6], [7, 8, 9, 0, 0]]


def test_runs_that_end_before_the_picture_does_are_refused() -> None:
    data = run_length_bmp(np.zeros((2, 5), np.uint8))
    start = struct.unpack_from("<I", data, 10)[0]
    for stream in (b"\5\1\0\0\5\2\0\1", b"\5\1\0\0\5\2\0\0\0\1", b"\5\1\0\0\3\2\0\0\0\1"):
        assert bmp.decode(data[:start] + stream)[0][1].tolist() == [1] * 5
    for stream, missing in ((b"\5\1\0\0\4\2\0\1", 1), (b"\5\1\0\1", 5), (b"\0\1", 10)):
        with pytest.raises(UnreadableMaskError, match=f"ends {missing} pixels early"):
            bmp.decode(data[:start] + stream)


def test_runs_beyond_the_picture_are_refused() -> None:
    data = run_length_bmp(np.zeros((2, 5), np.uint8))
    start = struct.unpack_from("<I", data, 10)[0]
    for stream in (b"\x06\1\0\1", b"\0\0\0\0\1\1\0\1", b"\0\2\0\x09\1\1\0\1"):
        with pytest.raises(UnreadableMaskError, match="leaves the picture"):
            bmp.decode(data[:start] + stream)


@pytest.mark.parametrize("data", [saved(Image.fromarray(LABELS)), saved(Image.fromarray(COLORS)), run_length_bmp(LABELS)])
def test_no_cut_is_ever_read(data: bytes) -> None:
    for size in range(0, len(data), max(1, len(data) // 300)):
        with pytest.raises(UnreadableMaskError):
            bmp.decode(data[:size])
    with pytest.raises(UnreadableMaskError):
        bmp.decode(data[:-1])


def test_a_cut_says_how_much_is_missing() -> None:
    with pytest.raises(UnreadableMaskError, match="^ends 3 bytes early$"):
        bmp.decode(saved(Image.fromarray(COLORS))[:-3])


def test_a_huge_claim_costs_nothing() -> None:
    data = bytearray(run_length_bmp(LABELS))
    data[18:26] = struct.pack("<ii", 1 << 20, 1 << 20)
    with pytest.raises(UnreadableMaskError, match="the header claims 1048576 x 1048576 pixels"):
        bmp.decode(bytes(data))


@pytest.mark.parametrize(("at", "value", "reason"), [
    (28, b"\x07\0", "claims 7 bits a pixel"), (30, b"\4\0\0\0", "claims compression 4"),
    (18, b"\xff\xff\xff\xff", "without pixels")])
def test_impossible_headers_are_refused_by_name(at: int, value: bytes, reason: str) -> None:
    data = saved(Image.fromarray(LABELS))
    with pytest.raises(UnreadableMaskError, match=reason):
        bmp.decode(data[:at] + value + data[at + len(value):])


def test_the_old_short_header_is_read() -> None:
    palette = bytes((0, 0, 200, 0, 200, 0))
    data = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 32) + struct.pack("<IHHHH", 12, 3, 1, 1, 1) + palette + b"\xa0\0\0\0"
    array, how = bmp.decode(data)
    assert (array.tolist(), how.palette) == ([[1, 0, 1]], RED_GREEN)


def test_the_magic_bytes_are_recognized() -> None:
    assert bmp.matches(saved(Image.fromarray(LABELS))[:64])
    assert not bmp.matches(b"BMW is a car, and this is a text") and not bmp.matches(b"")


def test_pixels_that_begin_inside_the_palette_are_refused() -> None:
    data = bytearray(built([b"\1\2", b"\3\4"], 2, 8, bytes(range(256)) * 3))
    first = struct.unpack_from("<I", data, 10)[0]
    assert bmp.decode(bytes(data))[1].channels == "palette"
    for start in (0, 54, first - 1):
        struct.pack_into("<I", data, 10, start)
        with pytest.raises(UnreadableMaskError, match=f"its pixels begin at byte {start:,}, inside its header and palette"):
            bmp.decode(bytes(data))


def test_the_oldest_header_has_as_many_colors_as_fit() -> None:
    colors = bytes(range(30, 42))
    data = struct.pack("<2sIHHI", b"BM", 42, 0, 0, 38) + struct.pack("<IHHHH", 12, 4, 1, 1, 8) + colors + bytes((0, 1, 2, 3))
    array, how = bmp.decode(data)
    assert array.tolist() == [[0, 1, 2, 3]] and how.palette is not None and len(how.palette) == 12
    assert np.array_equal(np.asarray(Image.open(BytesIO(data))), array)


def test_only_so_many_runs_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = run_length_bmp(np.zeros((4, 5), np.uint8))  # a run for each pixel, an end for each row, and one for all
    monkeypatch.setattr(bmp, "_MAX_RUNS", 4 * 6 + 1)
    assert bmp.decode(data)[0].shape == (4, 5)
    monkeypatch.setattr(bmp, "_MAX_RUNS", 4 * 6)
    with pytest.raises(UnreadableMaskError, match="has more than 24 runs"):
        bmp.decode(data)


def test_an_index_without_a_color_is_refused() -> None:
    assert bmp.decode(built([b"\1\2"], 2, 8, RED_GREEN + b"abc"))[0].tolist() == [[1, 2]]
    with pytest.raises(UnreadableMaskError, match="holds the index 3, and its palette has 3 colors"):
        bmp.decode(built([b"\1\3"], 2, 8, RED_GREEN + b"abc"))


@pytest.mark.parametrize(("bits", "compression", "header"), [
    (1, 3, 40), (4, 3, 40), (8, 6, 40), (24, 3, 40), (24, 6, 40), (16, 3, 64), (32, 6, 64), (1, 3, 64), (24, 4, 64)])
def test_masks_are_for_16_and_32_bits_and_no_other_codec_is_taken_for_them(bits: int, compression: int, header: int) -> None:
    palette = bytes(3 << bits) if bits <= 8 else b""
    masks = struct.pack("<6I", 0x7C00, 0x3E0, 0x1F, 0, 0, 0)[:max(16, header - 40)]
    data = bytearray(built([bytes(8)], 2, bits, palette, compression=compression, masks=masks))
    data[14] = header
    with pytest.raises(UnreadableMaskError, match=f"claims compression {compression} with {bits} bits a pixel"):
        bmp.decode(bytes(data))

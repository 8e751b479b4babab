"""BMP, decoded here: Pillow reads the indices of a 4-bit grey ramp as 8-bit samples, takes run-length streams that are cut or leave the
picture, does not know some layouts of colors (those with alpha among them), and needs three times as long for the others.

Headers as in https://learn.microsoft.com/windows/win32/gdi/bitmap-storage and its pages on BITMAPINFOHEADER, BITMAPV5HEADER
and bitmap compression.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import ends_early, in_words
from labelguard.files.limits import check_size
from labelguard.files.memory import take

NAME = "bmp"
SUFFIXES = (".bmp", ".dib")

_RAW, _RLE8, _RLE4, _BITFIELDS, _ALPHA_BITFIELDS = 0, 1, 2, 3, 6
_CODECS = {_RAW: "", _RLE8: "RLE8", _RLE4: "RLE4", _BITFIELDS: "", _ALPHA_BITFIELDS: ""}
_OS2_HEADER = 64  # there, 3 is Huffman's code, and 4 are run lengths of colors
_MAX_RUNS = 4_000_000  # some seconds
_GREY_RAMP = bytes(level for level in range(256) for _ in range(3))
_BLACK_WHITE = bytes((0, 0, 0, 255, 255, 255))


@dataclass(frozen=True, slots=True)
class _Header:
    """The fields that pixels depend on; `masks` are the bits of red, green, blue and, where there is one, alpha."""

    width: int
    height: int
    top_down: bool
    bits: int
    compression: int
    masks: tuple[int, ...]
    palette: bytes
    start: int


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of a BMP: BM, and a header of one of the known lengths."""
    return head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in (12, 40, 52, 56, 64, 108, 124)


def decode(data: bytes) -> tuple[NDArray[np.uint8] | NDArray[np.bool_], Storage]:
    """Read a BMP.

    A palette that is the grey ramp (color i is the grey level i) makes a grey file, black and white at 1 bit a bilevel
    one; in both, indices and levels are the same numbers. Any other palette makes a palette file.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        (H, W) bool for black and white, (H, W) uint8 indices or grey levels, (H, W, 3) or (H, W, 4) uint8 colors; color
        samples of fewer than 8 bits are stretched to 8.
    stored
        How they lay on disk.

    Raises
    ------
    UnreadableMaskError
        When the file is cut, damaged, or claims more than the limits allow.
    """
    with in_words("the BMP's header"):
        header = _header(data)
    height, width = header.height, header.width
    codec = _CODECS[header.compression]
    with in_words("the BMP's pixels"):
        if header.bits > 8:
            take(check_size((height, width), 16))  # words of 4 bytes and masked copies of them are held for a while
            array = _colors(_rows(data, header), header)
            return array, Storage(NAME, "rgba" if array.shape[2] == 4 else "rgb", 8, codec=codec)
        take(check_size((height, width), 2))
        run_length = header.compression in (_RLE8, _RLE4)
        indices = _run_lengths(data, header) if run_length else _unpacked(_rows(data, header), header.bits, width)
    highest = int(indices.max())
    if highest >= len(header.palette) // 3:
        raise UnreadableMaskError(f"holds the index {highest}, and its palette has {len(header.palette) // 3} colors")
    if header.bits == 1 and header.palette == _BLACK_WHITE:
        return indices.astype(np.bool_), Storage(NAME, "grey", 1, "b", codec=codec)
    if _GREY_RAMP.startswith(header.palette):
        return indices, Storage(NAME, "grey", header.bits, codec=codec)
    return indices, Storage(NAME, "palette", header.bits, palette=header.palette, codec=codec)


def shape_of(data: bytes) -> tuple[int, int]:
    """(H, W) from the header.

    Raises
    ------
    UnreadableMaskError
        When the header is damaged.
    """
    header = _header(data)
    return header.height, header.width


def _header(data: bytes) -> _Header:
    if len(data) < 26:
        raise ends_early(26 - len(data))
    start, size = struct.unpack_from("<II", data, 10)
    if len(data) < 14 + size:
        raise ends_early(14 + size - len(data))
    compression = used = 0
    if size == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
    else:
        width, height, _, bits, compression, _, _, _, used = struct.unpack_from("<iiHHIIiiI", data, 18)
    if bits not in (1, 4, 8, 16, 24, 32):
        raise UnreadableMaskError(f"claims {bits} bits a pixel, which BMP does not have")
    masked = compression in (_BITFIELDS, _ALPHA_BITFIELDS)
    if (compression not in _CODECS or {_RLE8: 8, _RLE4: 4}.get(compression, bits) != bits
            or (masked and (bits not in (16, 32) or size == _OS2_HEADER))):
        raise UnreadableMaskError(f"claims compression {compression} with {bits} bits a pixel, a kind of BMP that labelguard does not read")
    at, masks = 14 + size, _masks(bits)
    if masked:
        count = 4 if size >= 56 or compression == _ALPHA_BITFIELDS else 3
        masks = tuple(mask for mask in struct.unpack_from(f"<{count}I", data, 54) if mask)
        at = max(at, 54 + 4 * count)
    palette = b""
    if bits <= 8:
        colors, step = min(used or 1 << bits, 1 << bits), 3 if size == 12 else 4
        if size == 12 and start >= at:  # this header has no place for the number of colors
            colors = min(colors, (start - at) // step)
        table = data[at:at + colors * step]
        if len(table) < colors * step:
            raise ends_early(colors * step - len(table))
        palette = np.frombuffer(table, np.uint8).reshape(colors, step)[:, 2::-1].tobytes()
        at += len(table)
    if start < at:
        raise UnreadableMaskError(f"its pixels begin at byte {start:,}, inside its header and palette, which end at byte {at:,}")
    return _Header(width, abs(height), height < 0, bits, compression, masks, palette, start)


def _masks(bits: int) -> tuple[int, ...]:
    """Where red, green and blue lie in a pixel, unless the file says otherwise."""
    return (0x7C00, 0x3E0, 0x1F) if bits == 16 else (0xFF0000, 0xFF00, 0xFF)


def _rows(data: bytes, header: _Header) -> NDArray[np.uint8]:
    """The stored bytes, one row of the picture in each, top row first, padding included."""
    stride = (header.width * header.bits + 31) // 32 * 4
    end = header.start + stride * header.height
    if len(data) < end:
        raise ends_early(end - len(data))
    rows = np.frombuffer(data, np.uint8, stride * header.height, header.start).reshape(header.height, stride)
    return rows if header.top_down else rows[::-1]


def _unpacked(rows: NDArray[np.uint8], bits: int, width: int) -> NDArray[np.uint8]:
    """Indices of 1, 4 or 8 bits, the leftmost in the high bits."""
    if bits == 1:
        return np.unpackbits(rows, axis=1, count=width)
    if bits == 4:
        rows = np.stack((rows >> 4, rows & 15), axis=2).reshape(rows.shape[0], -1)
    return np.ascontiguousarray(rows[:, :width])


def _colors(rows: NDArray[np.uint8], header: _Header) -> NDArray[np.uint8]:
    """Colors of 16, 24 or 32 bits as R, G, B and, where its mask says so, alpha."""
    if header.bits == 24:
        return np.ascontiguousarray(rows[:, :3 * header.width].reshape(header.height, header.width, 3)[:, :, ::-1])
    words = np.ascontiguousarray(rows).view(f"<u{header.bits // 8}")[:, :header.width]
    if len(header.masks) < 3:
        raise UnreadableMaskError("names no bits for one of its colors")
    array = np.empty((*words.shape, len(header.masks)), np.uint8)
    for channel, mask in enumerate(header.masks):
        shift = (mask & -mask).bit_length() - 1
        top = mask >> shift
        if top & (top + 1) or top > 255:
            raise UnreadableMaskError(f"spreads a color over bits that do not lie together, or over more than eight (0x{mask:08x})")
        samples = words >> shift & top
        array[:, :, channel] = samples if top == 255 else (samples.astype(np.uint32) * 255 + top // 2) // top
    return array


def _run_lengths(data: bytes, header: _Header) -> NDArray[np.uint8]:
    """Indices out of RLE8 or RLE4. Pixels that the stream jumps over are 0, as on a fresh canvas."""
    height, width, nibbles = header.height, header.width, header.compression == _RLE4
    canvas = bytearray(height * width)
    at, x, y = header.start, 0, 0
    for _ in range(_MAX_RUNS):
        if at + 2 > len(data):
            raise UnreadableMaskError("ends without the end marker of its run-length stream: the file was cut")
        count, value = data[at], data[at + 1]
        at += 2
        if count:
            run = bytes((value >> 4, value & 15)) * (count + 1 >> 1) if nibbles else bytes((value,)) * count
        elif value == 1:
            break
        elif value == 0:
            x, y = 0, y + 1
            continue
        elif value == 2:
            x, y, at = x + data[at], y + data[at + 1], at + 2
            continue
        else:
            count, stored = value, value + 1 >> 1 if nibbles else value
            run = data[at:at + stored].ljust(stored, b"\0")
            run = bytes(half for byte in run for half in (byte >> 4, byte & 15)) if nibbles else run
            at += stored + (stored & 1)
        if y >= height or x + count > width:
            raise UnreadableMaskError(f"a run ending at byte {at:,} leaves the picture")
        canvas[y * width + x:y * width + x + count] = run[:count]
        x += count
    else:
        raise UnreadableMaskError(f"has more than {_MAX_RUNS:,} runs; convert it to PNG first")
    if y * width + x < height * width:
        raise UnreadableMaskError(f"its run-length stream ends {height * width - y * width - x:,} pixels early")
    rows = np.frombuffer(canvas, np.uint8).reshape(height, width)
    return rows if header.top_down else rows[::-1]

"""An independent PNG writer for the tests: any filter on any row, any depth, interlaced or not, any damage."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes) -> bytes:
    """One chunk with a right checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(samples: NDArray[np.integer], bits: int = 8, color_type: int = 0, filters: Sequence[int] = (0,), *,
           interlaced: bool = False, palette: bytes = b"", idat_bytes: int = 1 << 30, level: int = 6) -> bytes:
    """Encode (H, W) or (H, W, C) samples; `filters` are used in turn, row by row."""
    height, width = samples.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, int(interlaced))
    pixels = zlib.compress(stream(samples, bits, filters, interlaced), level)
    parts = [chunk(b"IDAT", pixels[i:i + idat_bytes]) for i in range(0, len(pixels), idat_bytes)]
    return b"".join([SIGNATURE, chunk(b"IHDR", header), chunk(b"PLTE", palette) * bool(palette), *parts, chunk(b"IEND", b"")])


def stream(samples: NDArray[np.integer], bits: int, filters: Sequence[int] = (0,), interlaced: bool = False) -> bytes:
    """The filtered pixel stream, not compressed."""
    images = [samples[r::rs, c::cs] for r, c, rs, cs in PASSES] if interlaced else [samples]
    return b"".join(_filtered(image, bits, filters) for image in images if image.size)


def _filtered(samples: NDArray[np.integer], bits: int, filters: Sequence[int]) -> bytes:
    channels = 1 if samples.ndim == 2 else samples.shape[2]
    step = max(1, bits * channels // 8)
    rows = [_pack(row.ravel(), bits) for row in samples]
    above = bytes(len(rows[0]))
    out = bytearray()
    for number, row in enumerate(rows):
        kind = filters[number % len(filters)]
        out.append(kind)
        for i, value in enumerate(row):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            out.append((value - _predict(kind, left, above[i], corner)) % 256)
        above = row
    return bytes(out)


def _pack(row: NDArray[np.integer], bits: int) -> bytes:
    text = "".join(format(int(value), f"0{bits}b") for value in row)
    return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


def _predict(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 4:
        distances = [(abs(up - corner), left), (abs(left - corner), up), (abs(left + up - 2 * corner), corner)]
        return min(distances, key=lambda pair: pair[0])[1]  # the first of equals
    return (0, left, up, (left + up) // 2)[kind]

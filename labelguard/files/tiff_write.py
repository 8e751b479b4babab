"""Write labels as TIFF: one page of whole strips, as every reader takes it (TIFF 6.0, sections 2 to 5), without a tag that moves pixels."""

from __future__ import annotations

import struct
import zlib
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.mask import Storage

_STRIP_BYTES = 1 << 18
_SHORT, _LONG = 3, 4
_NONE, _DEFLATE = 1, 8
_BLACK_IS_ZERO, _PALETTE = 1, 3
_SAMPLE_FORMATS = {"u": 1, "i": 2}


def encode_tiff(labels: NDArray[np.integer], stored: Storage) -> bytes:
    """Encode labels as a grey or palette TIFF.

    Parameters
    ----------
    labels
        (H, W), any integer type.
    stored
        How they lay on disk before: a palette is kept where labels are uint8, and so is whether they were compressed, now as Deflate.

    Returns
    -------
    bytes
        The whole file, little-endian; the same for the same labels.
    """
    height, width = labels.shape
    pixels = np.ascontiguousarray(labels, labels.dtype.newbyteorder("<"))
    size = pixels.dtype.itemsize
    rows = min(height, max(1, _STRIP_BYTES // (width * size)))
    strips = [pixels[top:top + rows].tobytes() for top in range(0, height, rows)]
    if stored.codec:
        strips = [zlib.compress(strip) for strip in strips]
    palette = stored.palette if pixels.dtype == np.uint8 else None
    lengths = [len(strip) for strip in strips]
    offsets = list(accumulate(lengths[:-1], initial=8))
    tags: dict[int, tuple[int, list[int]]] = {
        256: (_LONG, [width]), 257: (_LONG, [height]), 258: (_SHORT, [8 * size]), 259: (_SHORT, [_DEFLATE if stored.codec else _NONE]),
        262: (_SHORT, [_BLACK_IS_ZERO if palette is None else _PALETTE]), 273: (_LONG, offsets), 277: (_SHORT, [1]),
        278: (_LONG, [rows]), 279: (_LONG, lengths), 339: (_SHORT, [_SAMPLE_FORMATS[pixels.dtype.kind]])}
    if palette is not None:
        colors = np.zeros((256, 3), np.uint16)
        given = np.frombuffer(palette, np.uint8).reshape(-1, 3)[:256]
        colors[:len(given)] = given * np.uint16(257)
        tags[320] = _SHORT, colors.T.ravel().tolist()
    start = 8 + sum(lengths)
    return b"".join([struct.pack("<2sHI", b"II", 42, start + start % 2), *strips, bytes(start % 2), _directory(tags, start + start % 2)])


def _directory(tags: dict[int, tuple[int, list[int]]], start: int) -> bytes:
    """The directory that begins at byte `start`, and behind it the values that it has no room for."""
    entries, behind = [struct.pack("<H", len(tags))], b""
    after = start + 2 + 12 * len(tags) + 4
    for code, (kind, values) in sorted(tags.items()):
        value = struct.pack(f"<{len(values)}{'H' if kind == _SHORT else 'I'}", *values)
        if len(value) > 4:
            value, behind = struct.pack("<I", after + len(behind)), behind + value + bytes(len(value) % 2)
        entries.append(struct.pack("<HHI", code, kind, len(values)) + value.ljust(4, b"\0"))
    return b"".join([*entries, bytes(4), behind])

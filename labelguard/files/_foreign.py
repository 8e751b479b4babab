"""Compressions of TIFF that no label set has a reason for: they are named, not decoded, and those that change ids are told apart.

Their decoders are large, and a damaged file can end the process inside one. Whether a codec was lossy stands at the beginning of its
stream, or cannot be told there, and is then taken for granted.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from labelguard.files._jpeg_markers import STARTS_OF_FRAME

FOREIGN_CODECS = {
    2: "CCITT RLE", 3: "CCITT fax 3", 4: "CCITT fax 4", 6: "old JPEG", 7: "JPEG", 33007: "JPEG", 34892: "JPEG",
    33003: "JPEG 2000", 33004: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000", 34887: "LERC", 34927: "WebP", 50001: "WebP",
    34933: "PNG", 22610: "JPEG XR", 34934: "JPEG XR", 50002: "JPEG XL", 52546: "JPEG XL"}
"""What the numbers of the Compression tag stand for that are not decoded."""

_FRAME = re.compile(b"\xff([" + bytes(sorted(STARTS_OF_FRAME)) + b"])")


def is_lossy(compression: int, stream: bytes) -> bool:
    """Whether a codec has changed what it stores, or may have.

    Parameters
    ----------
    compression
        A number of `FOREIGN_CODECS`.
    stream
        The first strip or tile; empty where it cannot be had.
    """
    try:
        return _LOSSY[compression](stream)
    except (struct.error, IndexError, KeyError):
        return compression not in (2, 3, 4, 34933)


def _jpeg(stream: bytes) -> bool:
    frame = _FRAME.search(stream)
    return frame is None or frame[1][0] & 3 != 3  # ITU-T T.81, table B.1: types 3, 7, 11, 15 are lossless


def _jpeg2000(stream: bytes) -> bool:
    """ISO/IEC 15444-1, A.6.1: the 5-3 wavelet is reversible, the 9-7 is not."""
    return stream[stream.index(b"\xff\x52", stream.index(b"\xff\x4f\xff\x51")) + 13] != 1 if b"\xff\x4f\xff\x51" in stream else True


def _webp(stream: bytes) -> bool:
    """RFC 9649, sections 2.5 to 2.7."""
    return stream[12:16] != b"VP8L" and b"VP8L" not in stream[30:]


def _lerc(stream: bytes) -> bool:
    """Lerc2 (https://github.com/Esri/lerc/blob/master/doc/MORE.md): an error of at most a half keeps whole numbers whole."""
    version = struct.unpack_from("<i", stream, 6)[0] if stream.startswith(b"Lerc2 ") else 99
    head = {2: "<10x6i", 3: "<14x6i", 4: "<14x7i", 5: "<14x7i", 6: "<14x8i4x"}[version]
    kind = struct.unpack_from(head, stream)[6 if version > 3 else 5]
    error: float = struct.unpack_from("<d", stream, struct.calcsize(head))[0]
    return error > (0.5 if kind < 6 else 0.0)


_LOSSY: dict[int, Callable[[bytes], bool]] = {
    6: _jpeg, 7: _jpeg, 33007: _jpeg, 34892: _jpeg, 33003: _jpeg2000, 33004: _jpeg2000, 33005: _jpeg2000, 34712: _jpeg2000,
    50001: _webp, 34927: _webp, 34887: _lerc}

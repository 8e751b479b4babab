"""Whole pictures inside TIFF strips and tiles: how large they are, and whether their codec changed the ids.

A decoder of such a picture takes memory for what the picture's own header claims, whatever the TIFF around it says, so the
claim is read first.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from labelguard.errors import UnreadableMaskError

# Annex A of ITU-T T.832: metadata, then the image itself.
_JPEGXR_TAGS = frozenset((0x010D, 0x010E, 0x010F, 0x0110, 0x011D, 0x0129, 0x0131, 0x0132, 0x013B, 0x013C, 0x0144, 0x02BC, 0x4746,
                          0x4749, 0x8298, 0x83BB, 0x8649, 0x8769, 0x8773, 0x8825, 0xA001, 0xA005, 0xEA1C, *range(0xBC01, 0xBC05),
                          *range(0xBC80, 0xBC84), *range(0xBCC0, 0xBCC6)))


class Picture(NamedTuple):
    """Height and width that a picture claims; `lossy` also where losslessness cannot be told."""

    height: int
    width: int
    lossy: bool


def picture(compression: int, stream: bytes) -> Picture:
    """What a strip or tile says of itself.

    Parameters
    ----------
    compression
        A number of TIFF's Compression tag that is in `FAMILIES`.
    stream
        The bytes of the strip or tile.

    Raises
    ------
    UnreadableMaskError
        When the stream is cut before its size, is not what the tag says, or fails its checksums.
    """
    try:
        return FAMILIES[compression](stream)
    except zlib.error as error:
        raise UnreadableMaskError("has a damaged pixel stream") from error
    except (struct.error, IndexError, KeyError) as error:
        raise UnreadableMaskError("does not say how large it is") from error


def _jpeg(stream: bytes) -> Picture:
    """ITU-T T.81, B.2.2; the frame types with bit pattern 3, 7, 11 and 15 are lossless."""
    at = 2
    while True:
        marker = stream[at + 1]
        if stream[at] != 0xFF:
            raise IndexError(at)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", stream, at + 5)
            return Picture(height, width, marker & 3 != 3)
        alone = marker == 0x01 or 0xD0 <= marker <= 0xD8
        at += 1 if marker == 0xFF else 2 if alone else 2 + struct.unpack_from(">H", stream, at + 2)[0]


def _jpeg2000(stream: bytes) -> Picture:
    """ISO/IEC 15444-1, A.5.1 and A.6.1: the 5-3 wavelet is reversible, the 9-7 is not."""
    start = stream.index(b"\xff\x4f\xff\x51") if b"\xff\x4f\xff\x51" in stream else len(stream)
    right, bottom, left, top = struct.unpack_from(">IIII", stream, start + 8)
    if right <= left or bottom <= top:
        raise IndexError(start)
    style = stream.index(b"\xff\x52", start) if b"\xff\x52" in stream[start:] else len(stream)
    return Picture(bottom - top, right - left, stream[style + 13] != 1)


def _webp(stream: bytes) -> Picture:
    """RFC 9649, sections 2.5 to 2.7."""
    kind = stream[12:16]
    if kind == b"VP8X":
        width, height = (1 + int.from_bytes(stream[at:at + 3], "little") for at in (24, 27))
        return Picture(height, width, b"VP8 " in stream[30:])
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", stream, 21)[0]
        return Picture((bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1, False)
    width, height = struct.unpack_from("<HH", stream, 26)
    return Picture(height & 0x3FFF, width & 0x3FFF, True)


def _png(stream: bytes) -> Picture:
    """PNG, section 5; libpng lets some bad checksums pass with a remark on stderr, so they are looked at here."""
    at, inflate = 8, zlib.decompressobj()
    while at < len(stream):
        size, kind = struct.unpack_from(">I4s", stream, at)
        if struct.unpack_from(">I", stream, at + 8 + size)[0] != zlib.crc32(stream[at + 4:at + 8 + size]):
            raise UnreadableMaskError(f"has a bad checksum in its chunk at byte {at:,}")
        rest = stream[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        while rest:
            inflate.decompress(rest, 1 << 20)
            rest = inflate.unconsumed_tail
        at += 12 + size
    if not inflate.eof:
        raise UnreadableMaskError("has a cut pixel stream")
    width, height = struct.unpack_from(">II", stream, 16)
    return Picture(height, width, False)


def _lerc(stream: bytes) -> Picture:
    """Lerc2 (https://github.com/Esri/lerc/blob/master/doc/MORE.md): an error of at most a half keeps whole numbers whole."""
    version = struct.unpack_from("<i", stream, 6)[0] if stream.startswith(b"Lerc2 ") else 99
    layout = {2: "<10x", 3: "<14x"}.get(version, "<14x")
    height, width = struct.unpack_from(layout + "ii", stream)
    head = layout + {2: "6i", 3: "6i", 4: "7i", 5: "7i", 6: "8i4x"}[version]
    kind = struct.unpack_from(head, stream)[6 if version > 3 else 5]
    error = struct.unpack_from("<d", stream, struct.calcsize(head))[0]
    return Picture(height, width, error > (0.5 if kind < 6 else 0.0))


def _jpegxr(stream: bytes) -> Picture:
    """ITU-T T.832, 8.3 and annex A: a small TIFF around a codestream; whether that is quantized is not looked for."""
    at = struct.unpack_from("<I", stream, 4)[0]
    sides = {}
    for entry in range(at + 2, at + 2 + 12 * struct.unpack_from("<H", stream, at)[0], 12):
        code, kind = struct.unpack_from("<HH", stream, entry)
        if code not in _JPEGXR_TAGS:
            raise UnreadableMaskError(f"has an unknown tag 0x{code:04x}")  # jxrlib would remark on it on stderr
        sides[code] = struct.unpack_from("<H" if kind == 3 else "<I", stream, entry + 8)[0]
    start = stream.index(b"WMPHOTO\0") if b"WMPHOTO\0" in stream else len(stream)
    width, height = (1 + side for side in struct.unpack_from(">HH" if stream[start + 10] & 0x80 else ">II", stream, start + 12))
    if (height, width) != (sides[0xBC81], sides[0xBC80]):
        raise UnreadableMaskError("names two different sizes")
    return Picture(height, width, True)


def _jpegxl(stream: bytes) -> Picture:
    """ISO/IEC 18181-1, size header; whether its coding is lossless lies deep in the frames and is not looked for."""
    start = 0
    if not stream.startswith(b"\xff\x0a"):
        start = stream.find(b"\xff\x0a", max(stream.find(b"jxlc"), stream.find(b"jxlp"), 0))
    if start < 0 or len(stream) < start + 12:
        raise IndexError(start)
    bits = int.from_bytes(stream[start + 2:start + 12], "little")

    def take(count: int) -> int:
        nonlocal bits
        value = bits & (1 << count) - 1
        bits >>= count
        return value

    small = take(1)
    height = 8 * (take(5) + 1) if small else 1 + take((9, 13, 18, 30)[take(2)])
    if ratio := take(3):
        above, below = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))[ratio - 1]
        return Picture(height, height * above // below, True)
    return Picture(height, 8 * (take(5) + 1) if small else 1 + take((9, 13, 18, 30)[take(2)]), True)


FAMILIES: dict[int, Callable[[bytes], Picture]] = {
    6: _jpeg, 7: _jpeg, 33007: _jpeg, 34892: _jpeg, 33003: _jpeg2000, 33004: _jpeg2000, 33005: _jpeg2000, 34712: _jpeg2000,
    50001: _webp, 34927: _webp, 34933: _png, 34887: _lerc, 22610: _jpegxr, 34934: _jpegxr, 50002: _jpegxl, 52546: _jpegxl,
}
"""The numbers of TIFF's Compression tag whose strips are whole pictures."""

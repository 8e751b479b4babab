"""The chunks of a PNG: walked and checked, down to the compressed pixel stream.

Follows the PNG specification, third edition (W3C, 2025), section 5.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from struct import Struct
from typing import Any, NamedTuple

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels, Storage
from labelguard.files.exif import orientation_of
from labelguard.files.limits import check_size
from labelguard.files.memory import take

_deflate: Any
try:
    from zlib_ng import zlib_ng as _deflate
except ImportError:  # the same, slower
    _deflate = zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_INFLATION = 1032  # deflate's densest code: 258 bytes for 2 bits

_CHUNK = Struct(">I4s")
_CHECKSUM = Struct(">I")
_HEADER = Struct(">IIBBBBB")
_KNOWN_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_PIECE, _LARGE = 5120, 1 << 16
_MAX_EXIF = 1 << 16  # as in JPEG
_MOST_CHUNKS = 1 << 20  # 128 GB at the 8 kB that libpng puts into one
_MOST_COLORS = 256

# Color type: (what a pixel holds, samples in a pixel, allowed bits of a sample)
_COLOR_TYPES: dict[int, tuple[Channels, int, tuple[int, ...]]] = {
    0: ("grey", 1, (1, 2, 4, 8, 16)),
    2: ("rgb", 3, (8, 16)),
    3: ("palette", 1, (1, 2, 4, 8)),
    4: ("grey-alpha", 2, (8, 16)),
    6: ("rgba", 4, (8, 16)),
}


class Png(NamedTuple):
    """A PNG whose chunks are whole and whose pixel stream is still compressed.

    `samples` is the number of samples in a pixel, `idat` the compressed pixel stream.
    """

    height: int
    width: int
    bits: int
    channels: Channels
    samples: int
    interlaced: bool
    palette: bytes | None
    idat: memoryview
    orientation: int = 1

    @property
    def stored(self) -> Storage:
        """How the mask lies on disk."""
        return stored_as(self.channels, self.bits, self.palette, self.orientation)


@lru_cache(maxsize=256)  # most masks of a set are stored alike
def stored_as(channels: Channels, bits: int, palette: bytes | None, orientation: int = 1) -> Storage:
    """How a PNG lies on disk."""
    return Storage("png", channels, bits, palette=palette, orientation=orientation)


def parse(data: bytes) -> Png:
    """Walk the chunks of a PNG and check everything but the pixel stream.

    Raises
    ------
    UnreadableMaskError
        When a chunk is damaged, missing or unknown, or the header claims what cannot be.
    """
    if not data.startswith(SIGNATURE):
        raise UnreadableMaskError("does not begin with the PNG signature; a transfer in text mode damages it")
    header = palette = None
    exif, idat, gathered = memoryview(b""), memoryview(b""), bytearray()
    view, size, at = memoryview(data), len(data), 8
    for _ in range(_MOST_CHUNKS):
        if size - at < 12:
            missing = "its IEND chunk" if at == size else f"the rest of the chunk at byte {at}"
            raise UnreadableMaskError(f"ends without {missing}: the file was cut short")
        length, kind = _CHUNK.unpack_from(data, at)
        end = at + 12 + length
        if not kind.isalpha():
            raise UnreadableMaskError(f"has no chunk where one must begin, at byte {at}")
        if end > size:
            raise UnreadableMaskError(f"ends {end - size} bytes early, inside chunk {kind.decode()} at byte {at}")
        if _crc32(view[at + 4:end - 4]) != _CHECKSUM.unpack_from(data, end - 4)[0]:
            raise UnreadableMaskError(f"bad checksum in chunk {kind.decode()} at byte {at}")
        body = view[at + 8:end - 4]
        if header is None:
            if kind != b"IHDR" or length != 13:
                raise UnreadableMaskError("does not begin with a header chunk (IHDR)")
            header = _HEADER.unpack(body)
        elif kind == b"IDAT" and not idat:
            idat = body
        elif kind == b"IDAT":
            if not gathered:
                take(size)
                gathered += idat
            gathered += body
        elif kind == b"PLTE":
            palette = bytes(body[:3 * _MOST_COLORS + 1])
        elif kind == b"IHDR" or (kind == b"fcTL" and not idat and body[4:12] != data[16:24]):
            raise UnreadableMaskError(f"holds the second header {kind.decode()} at byte {at}; some readers take that, and others the first")
        elif kind == b"eXIf":
            exif = body[:_MAX_EXIF]
        elif kind[0] & 0x20 == 0 and kind not in _KNOWN_CRITICAL:
            raise UnreadableMaskError(f"holds the unknown critical chunk {kind.decode()} at byte {at}")
        at = end
        if kind == b"IEND":
            break
    else:
        raise UnreadableMaskError(f"is cut into more than {_MOST_CHUNKS:,} chunks, which no image needs; save it again")
    return _checked(header, palette, memoryview(gathered).toreadonly() if gathered else idat, orientation_of(bytes(exif)) if exif else 1)


def _crc32(data: memoryview) -> int:
    """The checksum of a chunk; in pieces so small that the interpreter lock is kept: handing it over costs more than the sum."""
    if len(data) > _LARGE:
        return int(_deflate.crc32(data))
    value = 0
    for start in range(0, len(data), _PIECE):
        value = _deflate.crc32(data[start:start + _PIECE], value)
    return value


def _checked(header: tuple[int, ...], palette: bytes | None, idat: memoryview, orientation: int) -> Png:
    width, height, bits, color_type, compression, filtering, interlace = header
    if color_type not in _COLOR_TYPES:
        raise UnreadableMaskError(f"the header names color type {color_type}, which PNG does not have")
    channels, samples, depths = _COLOR_TYPES[color_type]
    if bits not in depths:
        raise UnreadableMaskError(f"the header names {bits} bits a sample, which color type {color_type} does not allow")
    if compression or filtering or interlace > 1:
        raise UnreadableMaskError("the header names a compression, filter or interlace method that PNG does not have")
    shape = (height, width) if samples == 1 else (height, width, samples)
    check_size(shape, 2 if bits == 16 else 1)
    if channels == "palette" and (not palette or len(palette) % 3 or len(palette) > 3 * _MOST_COLORS):
        raise UnreadableMaskError("is a palette image without a usable palette (PLTE)")
    if not idat:
        raise UnreadableMaskError("holds no pixels: chunk IDAT is missing or empty")
    png = Png(height, width, bits, channels, samples, bool(interlace), palette if channels == "palette" else None, idat,
              orientation)
    if height * width * bits * samples // 8 > MAX_INFLATION * len(idat):
        raise UnreadableMaskError(f"the header claims {height} x {width} pixels, more than {len(idat)} compressed bytes can hold")
    return png

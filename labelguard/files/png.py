"""PNG, the format that label files are: read by our own decoder, and believed only when every checksum and length is right.

Follows the PNG specification, third edition (W3C, 2025): chunks in section 5, filters in 9, compression in 10, interlacing in 8.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Channels, Storage
from labelguard.files.limits import check_size

_deflate: Any
_libdeflate: Any
try:
    from zlib_ng import zlib_ng as _deflate
except ImportError:  # the same, slower
    _deflate = zlib
try:
    import deflate as _libdeflate  # a fifth faster than zlib-ng on small masks, a tenth on large ones
except ImportError:
    _libdeflate = None
_DAMAGED = (_deflate.error,) if _libdeflate is None else (_deflate.error, _libdeflate.DeflateError)

NAME = "png"
SUFFIXES = (".png",)

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHUNK = Struct(">I4s")
_CHECKSUM = Struct(">I")
_HEADER = Struct(">IIBBBBB")
_KNOWN_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_FILTERS = bytes(range(5))
_PIECE, _LARGE = 5120, 1 << 16
_MAX_INFLATION = 1032  # deflate's densest code: 258 bytes for 2 bits

# Color type: (what a pixel holds, samples in a pixel, allowed bits of a sample)
_COLOR_TYPES: dict[int, tuple[Channels, int, tuple[int, ...]]] = {
    0: ("grey", 1, (1, 2, 4, 8, 16)),
    2: ("rgb", 3, (8, 16)),
    3: ("palette", 1, (1, 2, 4, 8)),
    4: ("grey-alpha", 2, (8, 16)),
    6: ("rgba", 4, (8, 16)),
}

# Adam7: first row, first column, row step, column step of each pass
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))


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
    idat: bytes

    @property
    def stored(self) -> Storage:
        """How the mask lies on disk."""
        return _stored(self.channels, self.bits, self.palette)


@lru_cache(maxsize=256)  # most masks of a set are stored alike
def _stored(channels: Channels, bits: int, palette: bytes | None) -> Storage:
    return Storage(NAME, channels, bits, palette=palette)


def matches(head: bytes) -> bool:
    """Whether a file that begins so is a PNG."""
    return head[:8] == _SIGNATURE


def decode(data: bytes) -> tuple[NDArray[np.unsignedinteger], Storage]:
    """Decode a PNG.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    samples
        (H, W), or (H, W, C) for a file with several channels; uint16 for 16 bits, else uint8. Palette indices, never colors.
    stored
        How the mask lies on disk.

    Raises
    ------
    UnreadableMaskError
        When anything about the file is damaged.
    """
    png = parse(data)
    _check_decoded(png)
    if not png.interlaced:
        return _samples(png, _inflate(png), png.height, png.width), png.stored
    raw = _inflate(png)
    shape = (png.height, png.width) if png.samples == 1 else (png.height, png.width, png.samples)
    image = np.zeros(shape, np.uint16 if png.bits == 16 else np.uint8)
    start = 0
    for row, column, row_step, column_step in _PASSES:
        part = image[row::row_step, column::column_step]
        if part.size:
            end = start + _stream_bytes(png, *part.shape[:2])
            part[...] = _samples(png, raw[start:end], *part.shape[:2])
            start = end
    return image, png.stored


def tally(data: bytes, with_image: bool = False,
          with_label_runs: bool = False) -> tuple[NDArray[np.int64], Png, NDArray[np.unsignedinteger], LabelRuns | None] | None:
    """Tally the ids of a PNG straight from its pixel stream.

    Parameters
    ----------
    data
        The whole file.
    with_image, with_label_runs
        Whether the image is wanted too, or how ids change along its rows and columns.

    Returns
    -------
    records, png, image, ramps
        Records as of `kernels.tally`; the header; the samples (H, W), or an empty array where they are not wanted; the ramps. None for
        interlaced files and those with several channels, which `decode` reads.

    Raises
    ------
    UnreadableMaskError
        When anything about the file is damaged.
    """
    png = parse(data)
    if png.samples > 1 or png.interlaced:
        return None
    if with_image:
        _check_decoded(png)
    image = np.empty((png.height, png.width) if with_image else (0, 0), np.uint16 if png.bits == 16 else np.uint8)
    records, numbers = _tally(png, image, with_label_runs)
    return records, png, image, LabelRuns.of(numbers) if with_label_runs else None


def _tally(png: Png, image: NDArray[np.unsignedinteger], with_label_runs: bool) -> Any:
    from labelguard.kernels import png_tally, stream_tally
    if stream_tally.READY:
        idat = np.frombuffer(png.idat, np.uint8)
        whole, records, numbers = stream_tally.stream_tally(idat, png.height, png.width, png.bits, image, with_label_runs)
        if whole:
            return records, numbers
    return png_tally.png_tally(_inflate(png), png.height, png.width, png.bits, image, with_label_runs)  # or the words for what is wrong


def parse(data: bytes) -> Png:
    """Walk the chunks of a PNG and check everything but the pixel stream.

    Raises
    ------
    UnreadableMaskError
        When a chunk is damaged, missing or unknown, or the header claims what cannot be.
    """
    if not matches(data):
        raise UnreadableMaskError("does not begin with the PNG signature; a transfer in text mode damages it")
    header = palette = None
    idat: list[memoryview] = []
    view, size, at = memoryview(data), len(data), 8
    kind = b""
    while kind != b"IEND":
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
        elif kind == b"IDAT":
            idat.append(body)
        elif kind == b"PLTE":
            palette = bytes(body)
        elif kind[0] & 0x20 == 0 and kind not in _KNOWN_CRITICAL:
            raise UnreadableMaskError(f"holds the unknown critical chunk {kind.decode()} at byte {at}")
        at = end
    assert header is not None  # the loop ends at IEND, which is never the first chunk
    return _checked(header, palette, bytes(idat[0]) if len(idat) == 1 else b"".join(idat))


def _crc32(data: memoryview) -> int:
    """The checksum of a chunk; in pieces so small that the interpreter lock is kept: handing it over costs more than the sum."""
    if len(data) > _LARGE:
        return int(_deflate.crc32(data))
    value = 0
    for start in range(0, len(data), _PIECE):
        value = _deflate.crc32(data[start:start + _PIECE], value)
    return value


def _checked(header: tuple[int, ...], palette: bytes | None, idat: bytes) -> Png:
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
    if channels == "palette" and (not palette or len(palette) % 3):
        raise UnreadableMaskError("is a palette image without a usable palette (PLTE)")
    if not idat:
        raise UnreadableMaskError("holds no pixels: chunk IDAT is missing or empty")
    png = Png(height, width, bits, channels, samples, bool(interlace), palette if channels == "palette" else None, idat)
    if height * width * bits * samples // 8 > _MAX_INFLATION * len(idat):
        raise UnreadableMaskError(f"the header claims {height} x {width} pixels, more than {len(idat)} compressed bytes can hold")
    return png


def _check_decoded(png: Png) -> None:
    """The stream and the image lie side by side in memory."""
    check_size((png.height, png.width, png.samples), 4 if png.bits == 16 else 2)


def _stream_bytes(png: Png, height: int, width: int) -> int:
    """Inflated bytes of an image, or of a pass, of this size: a filter byte and the packed samples for each row."""
    return height * (1 + (width * png.samples * png.bits + 7) // 8)


def _inflate(png: Png) -> NDArray[np.uint8]:
    """The pixel stream, of exactly the length that the header asks for, with filter bytes that exist."""
    sizes = [(png.height, png.width)]
    if png.interlaced:
        sizes = [(len(range(row, png.height, row_step)), len(range(column, png.width, column_step)))
                 for row, column, row_step, column_step in _PASSES]
        sizes = [size for size in sizes if min(size) > 0]
    raw = _inflate_exactly(png.idat, sum(_stream_bytes(png, *size) for size in sizes))
    start = 0
    for height, width in sizes:
        end = start + _stream_bytes(png, height, width)
        kinds = raw[start:end:_stream_bytes(png, 1, width)]
        wrong = kinds.translate(None, _FILTERS)
        if wrong:
            raise UnreadableMaskError(f"row {kinds.index(wrong[0])} of the pixel stream names filter {wrong[0]}, which PNG does not have")
        start = end
    return np.frombuffer(raw, np.uint8)


def _inflate_exactly(idat: bytes, expected: int) -> bytes:
    whole = _inflate_at_once(idat, expected)
    if len(whole) == expected:
        return whole
    stream = _deflate.decompressobj()
    try:
        raw = bytes(stream.decompress(idat, expected + 1))
    except _deflate.error:
        raise UnreadableMaskError("the pixel stream is damaged: it cannot be inflated") from None
    if len(raw) > expected:
        raise UnreadableMaskError(f"the pixel stream is too long: it goes on after the {expected} bytes that the header asks for")
    if len(raw) < expected:
        raise UnreadableMaskError(f"the pixel stream ends {expected - len(raw)} bytes early, of {expected}")
    if not stream.eof:
        raise UnreadableMaskError("the pixel stream has no end: its checksum is missing")
    return raw


def _inflate_at_once(idat: bytes, expected: int) -> bytes:
    """The stream in one call; something else where it is damaged."""
    try:
        if _libdeflate is not None:
            return bytes(_libdeflate.zlib_decompress(idat, expected))
        if len(idat) * _MAX_INFLATION <= 8 * expected + (1 << 20):  # it cannot grow much beyond what is expected
            return bytes(_deflate.decompress(idat, bufsize=expected + 1))
    except _DAMAGED:
        pass
    return b""


def _samples(png: Png, raw: NDArray[np.uint8], height: int, width: int) -> NDArray[np.unsignedinteger]:
    """Undo filters and packing of an image, or of a pass."""
    from labelguard.kernels.png_tally import unpack
    from labelguard.kernels.unfilter import unfilter
    row_bytes = _stream_bytes(png, 1, width) - 1
    rows = unfilter(raw, height, row_bytes, max(1, png.samples * png.bits // 8))
    flat = unpack(rows, width * png.samples, png.bits)
    return flat if png.samples == 1 else flat.reshape(height, width, png.samples)

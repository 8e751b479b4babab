"""PNG, the format that label files are: read by our own decoder, and believed only when every checksum and length is right.

Follows the PNG specification, third edition (W3C, 2025): filters in section 9, compression in 10, interlacing in 8.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Storage
from labelguard.files._chunks import MAX_INFLATION, SIGNATURE, Png, parse
from labelguard.files.limits import check_size
from labelguard.files.memory import take

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

_FILTERS = bytes(range(5))

# Adam7: first row, first column, row step, column step of each pass
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))


def matches(head: bytes) -> bool:
    """Whether a file that begins so is a PNG."""
    return head[:8] == SIGNATURE


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
    take(2 * _check_decoded(png))  # with the rows before they are unpacked
    if png.samples == 1 and not png.interlaced:
        image = np.empty((png.height, png.width), np.uint16 if png.bits == 16 else np.uint8)
        _tally(png, image, False)  # costs less than taking fresh memory for the stream and for each step
        return image, png.stored
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


def tally_ids(data: bytes, with_image: bool = False,
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
    records, png, image, label_runs
        Records as of `kernels.tally`; the header; the samples (H, W), or an empty array where they are not wanted; the label runs. None for
        interlaced files and those with several channels, which `decode` reads.

    Raises
    ------
    UnreadableMaskError
        When anything about the file is damaged.
    """
    png = parse(data)
    if png.samples > 1 or png.interlaced:
        return None
    take(_check_decoded(png) if with_image else _stream_bytes(png, png.height, png.width))
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


def _check_decoded(png: Png) -> int:
    """What the stream and the image take, which lie side by side in memory."""
    return check_size((png.height, png.width, png.samples), 4 if png.bits == 16 else 2)


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


def _inflate_exactly(idat: memoryview, expected: int) -> bytes:
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


def _inflate_at_once(idat: memoryview, expected: int) -> bytes:
    """The stream in one call; something else where it is damaged."""
    try:
        if _libdeflate is not None:
            return bytes(_libdeflate.zlib_decompress(idat, expected))
        if len(idat) * MAX_INFLATION <= 8 * expected + (1 << 20):  # it cannot grow much beyond what is expected
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

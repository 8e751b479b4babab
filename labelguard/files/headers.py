"""Size and EXIF orientation of an image from its header; no pixel is decoded.

Over JPEG and PNG photographs this takes 3 us an image. ``PIL.Image.open`` and ``getexif`` give the same answers in 50 us for a JPEG and in
milliseconds for a PNG, whose pixels they decode first; they also warn through the filters of the whole process, which threads cannot
silence safely.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from labelguard.errors import UnreadableMaskError
from labelguard.files import bmp, gif, jpeg, npy, png, tiff, webp
from labelguard.files._boundary import in_words
from labelguard.files._jpeg_markers import APP1, START_OF_SCAN, STARTS_OF_FRAME
from labelguard.files.exif import PREFIX, orientation_of

Header = tuple[tuple[int, int], int]  # (H, W) as stored; EXIF orientation, 1 where there is none

_NOT_FILLING = re.compile(rb"[^\xff]")
_MAX_SEGMENTS, _MOST_CHUNKS, _MAX_EXIF = 10_000, 1 << 20, 1 << 16  # as for masks


def read_header(data: bytes) -> Header:
    """Read what the header of an image says.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    shape, orientation
        (H, W) as stored, and the EXIF orientation, 1 to 8.

    Raises
    ------
    UnreadableMaskError
        When the header is damaged, or the file is not an image.
    """
    for format_, reader in _HEADER_READERS:
        if format_(data[:64]):
            with in_words("the header"):
                shape, orientation = reader(data)
            if min(shape) < 1:
                raise UnreadableMaskError(f"the header claims {shape[0]} x {shape[1]} pixels: an image without pixels")
            return shape, orientation
    raise UnreadableMaskError("is not of an image format that labelguard reads" if data else "is empty (0 bytes)")


def _png(data: bytes) -> Header:
    width, height = struct.unpack_from(">II", data, 16)
    at, exif = 8, b""
    for _ in range(_MOST_CHUNKS):
        if at + 8 > len(data):
            return (height, width), orientation_of(exif)
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"eXIf":
            exif = data[at + 8:at + 8 + min(length, _MAX_EXIF)]
        at += 12 + length
    raise UnreadableMaskError(f"is cut into more than {_MOST_CHUNKS:,} chunks, which no image needs; save it again")


def _jpeg(data: bytes) -> Header:
    at, orientation = 2, 1
    for _ in range(_MAX_SEGMENTS):
        if data[at:at + 2] == b"\xff\xff" and (behind := _NOT_FILLING.search(data, at)) is not None:
            at = behind.start() - 1
        marker, length = struct.unpack_from(">xBH", data, at)
        if marker in STARTS_OF_FRAME:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return (height, width), orientation
        if marker == APP1 and data[at + 4:at + 10] == PREFIX and orientation == 1:
            orientation = orientation_of(data[at + 4:at + 2 + length])
        if data[at] != 0xFF or marker == START_OF_SCAN:
            raise UnreadableMaskError("has no frame header before its pixels")
        at += 2 + max(2, length)
    raise UnreadableMaskError(f"has more than {_MAX_SEGMENTS:,} segments")


def _tiff(data: bytes) -> Header:
    return tiff.shape_and_orientation(data)


def _webp(data: bytes) -> Header:
    shape, exif = webp.header(data)
    return shape, orientation_of(exif)


def _bmp(data: bytes) -> Header:
    return bmp.shape_of(data), 1


def _gif(data: bytes) -> Header:
    width, height = struct.unpack_from("<HH", data, 6)
    return (height, width), 1


def _npy(data: bytes) -> Header:
    return npy.shape_of(data), 1


_HEADER_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Header]], ...] = (
    (png.matches, _png), (jpeg.matches, _jpeg), (tiff.matches, _tiff), (webp.matches, _webp), (bmp.matches, _bmp), (gif.matches, _gif),
    (npy.matches, _npy))

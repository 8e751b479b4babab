"""JPEG: always lossy, read so that a report can say what it did to the ids."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import in_words
from labelguard.files._jpeg_markers import APP1, START_OF_SCAN, STARTS_OF_FRAME
from labelguard.files._pillow import pixels
from labelguard.files.exif import PREFIX, orientation_of
from labelguard.files.memory import take

NAME = "jpeg"
SUFFIXES = (".jpg", ".jpeg", ".jpe", ".jfif")

_END = 0xD9
_NOT_FOR_PIXELS = frozenset((*range(0xE1, 0xEE), 0xEF, 0xFE))  # APP1 to APP13, APP15 and comments; JFIF and Adobe name the colors
_PROGRESSIVE = (0xC2, 0xC6, 0xCA, 0xCE)
_ALONE = (0x01, 0xD8)  # markers without a segment
_USUAL_SCANS, _MAX_SCANS, _MAX_SCANNED = 10, 200, 1 << 29  # each scan is a pass over all pixels
_MAX_SEGMENTS, _MAX_JUNK, _MAX_TABLES = 10_000, 1 << 20, 1 << 20

# The next marker in compressed data: FF 00 is a stuffed byte, FF D0 to FF D7 are restarts, FF FF is filling
# (ITU-T T.81, B.1.1.2 and B.1.1.5).
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of a JPEG."""
    return head.startswith(b"\xff\xd8\xff")


def decode(data: bytes) -> tuple[NDArray[np.uint8], Storage]:
    """Read a JPEG.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        uint8; (H, W) for grey, (H, W, 3) as RGB for color, (H, W, 4) for CMYK. No EXIF rotation is applied.
    stored
        How they lay on disk.

    Raises
    ------
    UnreadableMaskError
        When the file is cut, damaged, or claims more than the limits allow.
    """
    with in_words("the JPEG's segments"):
        progressive, orientation, plain = _walk(data)
    with in_words("the JPEG's pixels"):
        from PIL.JpegImagePlugin import JpegImageFile

        with JpegImageFile(BytesIO(plain)) as image:
            # A progressive decoder keeps two bytes for every coefficient until the last scan.
            array, channels = pixels(image, 2 * len(image.getbands()) if progressive else 0)
    return array, Storage(NAME, channels, 8, lossy=True, codec="progressive JPEG" if progressive else "JPEG",
                             orientation=orientation)


def _walk(data: bytes) -> tuple[bool, int, bytes]:
    """Follow the segments to the end marker, since libjpeg invents the rest of a cut picture. Bytes between segments are skipped, as by
    every reader. Whether it is progressive, its EXIF orientation, and the file with nothing before its first scan but what pixels need:
    Pillow keeps all the rest, and joins EXIF blocks in a time that grows with the square of their number."""
    at, segments, scans, junk, pixels = 2, 0, 0, 0, 0
    progressive, in_scan, orientation = False, False, 1
    tables, first_scan = bytearray(data[:2]), 0
    while (following := _MARKER.search(data, at)) is not None:
        start = following.start()
        marker, length = data[start + 1], int.from_bytes(data[start + 2:start + 4], "big")
        junk += 0 if in_scan else start - at
        segments += 1
        if marker == _END:
            take(len(tables) + len(data) - first_scan)
            return progressive, orientation, b"".join((tables, memoryview(data)[first_scan or start:]))
        if marker in STARTS_OF_FRAME:
            progressive |= marker in _PROGRESSIVE
            pixels = int.from_bytes(data[start + 5:start + 7], "big") * int.from_bytes(data[start + 7:start + 9], "big")
        elif marker == APP1 and orientation == 1 and data[start + 4:start + 10] == PREFIX:
            orientation = orientation_of(data[start + 4:start + 2 + length])
        in_scan = marker == START_OF_SCAN
        scans += in_scan
        at = start + (2 if marker in _ALONE else 2 + max(2, length))
        if in_scan and not first_scan:
            first_scan = start
        elif not first_scan and marker not in _NOT_FOR_PIXELS:
            tables += data[start:at]
        _check_work(segments, scans, pixels, junk, len(tables))
    raise UnreadableMaskError("ends without its end marker: the file was cut")


def _check_work(segments: int, scans: int, pixels: int, junk: int, tables: int) -> None:
    """Refuse what would keep a decoder busy for minutes, and no encoder writes."""
    if scans > _MAX_SCANS:
        raise UnreadableMaskError(f"has more than {_MAX_SCANS} scans")
    if (scans - _USUAL_SCANS) * pixels > _MAX_SCANNED:
        raise UnreadableMaskError(f"has more scans than its {pixels / 1e6:,.0f} megapixels allow")
    if segments > _MAX_SEGMENTS:
        raise UnreadableMaskError(f"has more than {_MAX_SEGMENTS:,} segments")
    if junk > _MAX_JUNK:
        raise UnreadableMaskError(f"holds more than {_MAX_JUNK:,} bytes between its segments")
    if tables > _MAX_TABLES:
        raise UnreadableMaskError(f"holds more than {_MAX_TABLES:,} bytes of tables before its pixels")

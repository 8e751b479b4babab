"""JPEG: always lossy, read so that a report can say what it did to the ids."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import in_words
from labelguard.files._pillow import pixels

NAME = "jpeg"
SUFFIXES = (".jpg", ".jpeg", ".jpe", ".jfif")

_START_OF_SCAN, _END = 0xDA, 0xD9
_PROGRESSIVE = (0xC2, 0xC6, 0xCA, 0xCE)
_MAX_SCANS = 200  # each one is a pass over the picture; encoders write about ten

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
        progressive = _walk(data)
    with in_words("the JPEG's pixels"):
        from PIL.JpegImagePlugin import JpegImageFile

        with JpegImageFile(BytesIO(data)) as image:
            # A progressive decoder keeps two bytes for every coefficient until the last scan.
            array, channels = pixels(image, 2 * len(image.getbands()) if progressive else 0)
    return array, Storage(NAME, channels, 8, lossy=True, codec="progressive JPEG" if progressive else "JPEG")


def _walk(data: bytes) -> bool:
    """Follow the segments to the end marker, since libjpeg invents the rest of a cut picture; whether it is progressive."""
    cut = UnreadableMaskError("ends without its end marker: the file was cut")
    at, scans, progressive = 2, 0, False
    while True:
        while data[at:at + 2] == b"\xff\xff":
            at += 1
        if at + 2 > len(data):
            raise cut
        if data[at] != 0xFF:
            raise UnreadableMaskError(f"a segment should begin at byte {at:,}, and does not")
        marker = data[at + 1]
        if marker == _END:
            return progressive
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        progressive |= marker in _PROGRESSIVE
        at += 2 + max(2, int.from_bytes(data[at + 2:at + 4], "big"))
        if marker == _START_OF_SCAN:
            scans += 1
            if scans > _MAX_SCANS:
                raise UnreadableMaskError(f"has more than {_MAX_SCANS} scans")
            following = _MARKER.search(data, at)
            if following is None:
                raise cut
            at = following.start()

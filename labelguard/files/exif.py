"""The EXIF orientation: where it stands, and what it asks for.

Readers disagree about it. Pillow turns TIFF files and no others; OpenCV's ``imread`` turns all of them, unless told ``IMREAD_UNCHANGED``,
which turns TIFF alone; tifffile, scikit-image and GDAL turn none. Labels are read as Pillow reads them, images as stored, and what is
written has no orientation, so that all readers agree on it.
"""

from __future__ import annotations

import struct
from typing import Any

from numpy.typing import NDArray

PREFIX = b"Exif\0\0"
"""What JPEG puts before an EXIF block, and some writers of PNG and WebP too."""

_ORIENTATION, _SHORT = 0x0112, 3
_MOST_ENTRIES = 256  # they are sorted, and few have a lower number


def orientation_of(block: bytes) -> int:
    """The orientation that an EXIF block names; 1 where it names none, or is damaged, as every reader takes it.

    The block is a TIFF without pixels (Exif 2.32, section 4.5); the tag stands in its first directory.
    """
    block = block.removeprefix(PREFIX)
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None or block[2:4] not in (b"*\0", b"\0*"):
        return 1
    try:
        start, = struct.unpack_from(order + "I", block, 4)
        number, = struct.unpack_from(order + "H", block, start)
        for entry in range(start + 2, start + 2 + 12 * min(number, _MOST_ENTRIES), 12):
            tag, kind, count = struct.unpack_from(order + "HHI", block, entry)
            if tag == _ORIENTATION and kind == _SHORT and count == 1:
                value = int(struct.unpack_from(order + "H", block, entry + 8)[0])
                return value if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def as_displayed(samples: NDArray[Any], orientation: int) -> NDArray[Any]:
    """The samples of an image as EXIF says to turn them; a view. Exif 2.3, table 6: where row 0 and column 0 are in the picture."""
    if orientation >= 5:
        samples = samples.swapaxes(0, 1)
    down = -1 if orientation in (3, 4, 7, 8) else 1
    right = -1 if orientation in (2, 3, 6, 7) else 1
    return samples[::down, ::right]

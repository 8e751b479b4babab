"""GIF: the indices of the first frame.

The block structure is walked here, so that a file cut anywhere is noticed and frames are counted without decoding them
(GIF89a specification, https://www.w3.org/Graphics/GIF/spec-gif89a.txt); Pillow undoes the LZW.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import ends_early, in_words
from labelguard.files._pillow import pixels
from labelguard.files.limits import check_size

NAME = "gif"
SUFFIXES = (".gif",)

_TRAILER, _EXTENSION, _FRAME = 0x3B, 0x21, 0x2C
_IDENTITY = bytes(level for level in range(256) for _ in range(3))


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the blocks say: canvas (height, width), palette of the first frame, number of frames."""

    canvas: tuple[int, int]
    palette: bytes | None
    frames: int


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of a GIF."""
    return head.startswith((b"GIF87a", b"GIF89a"))


def decode(data: bytes) -> tuple[NDArray[np.uint8], Storage]:
    """Read the first frame of a GIF.

    Every GIF is a palette file. Where the palette is the grey ramp (color i is the grey level i), indices and grey levels
    are the same numbers and the file is called grey; anywhere else the labels are the indices, whatever their colors.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        uint8 indices, (H, W); where the first frame leaves the canvas uncovered, what Pillow fills in: the transparent
        index, or 0.
    stored
        How they lay on disk.

    Raises
    ------
    UnreadableMaskError
        When the file is cut, damaged, or claims more than the limits allow.
    """
    with in_words("the GIF's blocks"):
        layout = _walk(data)
    check_size(layout.canvas, 1)
    with in_words("the GIF's pixels"):
        from PIL.GifImagePlugin import GifImageFile

        with GifImageFile(BytesIO(data)) as image:
            array, _ = pixels(image)
    grey = layout.palette is None or _IDENTITY.startswith(layout.palette)
    return array, Storage(NAME, "grey" if grey else "palette", 8, pages=layout.frames,
                         palette=None if grey else layout.palette, codec="LZW")


def _walk(data: bytes) -> _Layout:
    """Follow the blocks from the screen descriptor to the trailer."""
    if len(data) < 13:
        raise ends_early(13 - len(data))
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    palette, at = _palette(data, 13, flags)
    frames = 0
    while True:
        kind = _byte(data, at)
        if kind == _TRAILER:
            break
        if kind == _EXTENSION:
            at = _skip(data, at + 2)
        elif kind == _FRAME:
            _byte(data, at + 10)
            left, top, wide, high, flags = struct.unpack_from("<HHHHB", data, at + 1)
            own, at = _palette(data, at + 10, flags)
            if frames == 0:
                palette = own if own is not None else palette
                width, height = max(width, left + wide), max(height, top + high)
            at = _skip(data, at + 1)
            frames += 1
        else:
            raise UnreadableMaskError(f"byte {at:,} begins a block of a kind that GIF does not have (0x{kind:02x})")
    if frames == 0:
        raise UnreadableMaskError("holds no frame")
    return _Layout((height, width), palette, frames)


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise UnreadableMaskError("ends without its end marker: the file was cut")
    return data[at]


def _palette(data: bytes, at: int, flags: int) -> tuple[bytes | None, int]:
    """The color table at `at`, where the flags announce one, and the position behind it."""
    if not flags & 0x80:
        return None, at
    end = at + (6 << (flags & 7))
    if end > len(data):
        raise ends_early(end - len(data))
    return data[at:end], end


def _skip(data: bytes, at: int) -> int:
    """The position behind the sub-blocks that begin at `at`."""
    while size := _byte(data, at):
        at += size + 1
    return at + 1

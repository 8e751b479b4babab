"""GIF: the indices of the first frame.

The block structure is walked here, so that a file cut anywhere is noticed and frames are counted without decoding them
(GIF89a specification, https://www.w3.org/Graphics/GIF/spec-gif89a.txt); Pillow undoes the LZW.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import ends_early, in_words
from labelguard.files._pillow import pixels
from labelguard.files.memory import take

NAME = "gif"
SUFFIXES = (".gif",)

_TRAILER, _EXTENSION, _FRAME = 0x3B, 0x21, 0x2C
_GRAPHIC_CONTROL, _DISPOSAL = 0xF9, 0b11100
_MOST_BLOCKS = 1 << 22  # 1 GB of full ones


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
        frames, first = _frames(data)
    with in_words("the GIF's pixels"):
        from PIL.GifImagePlugin import GifImageFile

        with GifImageFile(BytesIO(first)) as image:  # Pillow would walk, and keep, all comments
            palette = bytes(image.palette.palette) if image.palette is not None else None  # None for the grey ramp
            array, _ = pixels(image)
    return array, Storage(NAME, "grey" if palette is None else "palette", 8, pages=frames, palette=palette, codec="LZW")


def _frames(data: bytes) -> tuple[int, bytes]:
    """Follow the blocks from the screen descriptor to the trailer; the number of frames, and a GIF of the first alone."""
    if len(data) < 13:
        raise ends_early(13 - len(data))
    at = _behind_palette(data, 13, data[10])
    head, control, first = (0, at), (0, 0), (0, 0)
    frames = blocks = 0
    while (kind := _byte(data, at)) != _TRAILER:
        start = at
        if kind == _EXTENSION:
            at, passed = _behind_blocks(data, at + 2)
            if not frames and _byte(data, start + 1) == _GRAPHIC_CONTROL:
                if control != (0, 0):
                    raise UnreadableMaskError("holds two graphic control blocks before its first frame; some readers take the transparent "
                                              "index from the one, and others from the other")
                control = start, at
        elif kind == _FRAME:
            at, passed = _behind_blocks(data, 1 + _behind_palette(data, at + 10, _byte(data, at + 9)))
            first = first if frames else (start, at)
            frames += 1
        else:
            raise UnreadableMaskError(f"byte {at:,} begins a block of a kind that GIF does not have (0x{kind:02x})")
        blocks += passed
        if blocks > _MOST_BLOCKS:
            raise UnreadableMaskError(f"is cut into more than {_MOST_BLOCKS:,} blocks, which no image needs; save it again")
    if frames == 0:
        raise UnreadableMaskError("holds no frame")
    parts: list[Any] = [memoryview(data)[start:end] for start, end in (head, control, first)]
    take(sum(map(len, parts)))
    if len(parts[1]) > 3:  # what comes after the frame, Pillow would make at once, and warn of where it is large
        parts[1] = parts[1][:3].tobytes() + bytes([parts[1][3] & ~_DISPOSAL]) + parts[1][4:].tobytes()
    return frames, b"".join((*parts, bytes([_TRAILER])))


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise UnreadableMaskError("ends without its end marker: the file was cut")
    return data[at]


def _behind_palette(data: bytes, at: int, flags: int) -> int:
    """The position behind the color table at `at`, where the flags announce one."""
    end = at + (6 << (flags & 7)) if flags & 0x80 else at
    if end > len(data):
        raise ends_early(end - len(data))
    return end


def _behind_blocks(data: bytes, at: int) -> tuple[int, int]:
    """The position behind the sub-blocks that begin at `at`, and their number."""
    for number in range(_MOST_BLOCKS):
        size = _byte(data, at)
        at += size + 1
        if not size:
            return at, number + 1
    return at, _MOST_BLOCKS + 1

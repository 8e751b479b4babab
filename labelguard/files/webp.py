"""WebP: Pillow decodes, the RIFF chunks tell lossless from lossy.

Container: RFC 9649, https://www.rfc-editor.org/rfc/rfc9649.html
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files._boundary import ends_early, in_words
from labelguard.files._pillow import pixels
from labelguard.files.exif import orientation_of
from labelguard.files.limits import check_size

NAME = "webp"
SUFFIXES = (".webp",)

_FRAME_HEADER = 16
# libwebp's animation decoder, which Pillow uses for still images too, keeps two RGBA canvases.
_CANVASES = 8


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of a WebP."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def decode(data: bytes) -> tuple[NDArray[np.uint8], Storage]:
    """Read the first frame of a WebP.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        uint8, (H, W, 3) or (H, W, 4); WebP has no grey and no palette.
    stored
        How they lay on disk; lossy where any frame is stored as VP8.

    Raises
    ------
    UnreadableMaskError
        When the file is cut, damaged, or claims more than the limits allow.
    """
    with in_words("the WebP's chunks"):
        frames, lossy, canvas = _walk(data)
        orientation = orientation_of(header(data)[1])
    check_size(canvas, _CANVASES + 4)
    with in_words("the WebP's pixels"):
        from PIL.WebPImagePlugin import WebPImageFile

        with WebPImageFile(BytesIO(data)) as image:
            array, channels = pixels(image, _CANVASES)
    return array, Storage(NAME, channels, 8, lossy=lossy, pages=frames, codec="VP8" if lossy else "VP8L", orientation=orientation)


def header(data: bytes) -> tuple[tuple[int, int], bytes]:
    """(H, W) of the canvas, and the EXIF block, empty where there is none; no pixel is decoded.

    Raises
    ------
    UnreadableMaskError
        When the file is cut or damaged.
    """
    canvas = _walk(data)[2]
    end = 8 + int.from_bytes(data[4:8], "little")
    return canvas, next((data[start:stop] for kind, start, stop in _chunks(data, 12, end) if kind == b"EXIF"), b"")


def _walk(data: bytes) -> tuple[int, bool, tuple[int, int]]:
    """Number of frames, whether any of them is lossy, and the canvas as (height, width)."""
    claimed = 8 + int.from_bytes(data[4:8], "little")
    if claimed > len(data):
        raise ends_early(claimed - len(data))
    bitstreams: list[tuple[bytes, bytes]] = []
    canvas: tuple[int, int] | None = None
    frames = 0
    for kind, start, end in _chunks(data, 12, claimed):
        if kind == b"VP8X":
            canvas = (1 + int.from_bytes(data[start + 7:start + 10], "little"),
                      1 + int.from_bytes(data[start + 4:start + 7], "little"))
        elif kind == b"ANMF":
            frames += 1
            bitstreams += [(inner, data[first:first + 10])
                           for inner, first, _ in _chunks(data, start + _FRAME_HEADER, end) if inner in (b"VP8 ", b"VP8L")]
        elif kind in (b"VP8 ", b"VP8L"):
            bitstreams.append((kind, data[start:start + 10]))
    if not bitstreams:
        raise UnreadableMaskError("holds no picture: neither a VP8 nor a VP8L chunk")
    kind, head = bitstreams[0]
    return max(frames, 1), any(kind == b"VP8 " for kind, _ in bitstreams), canvas or _size(kind, head)


def _chunks(data: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and end of the payload of each chunk between two positions."""
    while at + 8 <= end:
        size = int.from_bytes(data[at + 4:at + 8], "little")
        if at + 8 + size > end:
            raise UnreadableMaskError(f"the chunk at byte {at:,} is longer than what holds it, by {at + 8 + size - end:,} bytes")
        yield data[at:at + 4], at + 8, at + 8 + size
        at += 8 + size + (size & 1)


def _size(kind: bytes, head: bytes) -> tuple[int, int]:
    """Height and width out of the first 10 bytes of a bitstream."""
    if kind == b"VP8L":
        bits = int.from_bytes(head[1:5], "little")
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1
    return int.from_bytes(head[8:10], "little") & 0x3FFF, int.from_bytes(head[6:8], "little") & 0x3FFF

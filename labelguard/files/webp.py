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
from labelguard.files.memory import take

NAME = "webp"
SUFFIXES = (".webp",)

_FRAME_HEADER = 16
_MOST_CHUNKS = 1 << 17  # some 40,000 frames
_MAX_EXIF = 1 << 16  # as in JPEG
_BITSTREAMS, _METADATA = (b"VP8 ", b"VP8L"), (b"ICCP", b"EXIF", b"XMP ")
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
        frames, lossy, canvas, exif, metadata = _walk(data)
        orientation = orientation_of(exif)
        take(metadata)  # which Pillow copies
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
    _, _, canvas, exif, _ = _walk(data)
    return canvas, exif


def _walk(data: bytes) -> tuple[int, bool, tuple[int, int], bytes, int]:
    """Number of frames, whether any of them is lossy, the canvas as (height, width), the EXIF block, and the bytes of all metadata."""
    claimed = 8 + int.from_bytes(data[4:8], "little")
    if claimed > len(data):
        raise ends_early(claimed - len(data))
    canvas: tuple[int, int] | None = None
    size: tuple[int, int] | None = None
    exif, lossy = b"", False
    frames = metadata = 0
    for number, (kind, start, end) in enumerate(_with_those_of_frames(data, claimed)):
        if number >= _MOST_CHUNKS:
            raise UnreadableMaskError(f"is cut into more than {_MOST_CHUNKS:,} chunks, which no image needs; save it again")
        if kind in _BITSTREAMS:
            size = size or _size(kind, data[start:start + 10])
            lossy |= kind == b"VP8 "
        elif kind == b"ANMF":
            frames += 1
        elif kind == b"VP8X":
            canvas = (1 + int.from_bytes(data[start + 7:start + 10], "little"),
                      1 + int.from_bytes(data[start + 4:start + 7], "little"))
        elif kind in _METADATA:
            metadata += end - start
            if kind == b"EXIF":
                exif = exif or data[start:min(end, start + _MAX_EXIF)]
    if size is None:
        raise UnreadableMaskError("holds no picture: neither a VP8 nor a VP8L chunk")
    return max(frames, 1), lossy, canvas or size, exif, metadata


def _with_those_of_frames(data: bytes, end: int) -> Iterator[tuple[bytes, int, int]]:
    """The chunks of a file, and behind each frame those inside it, nameless where they are no bitstreams."""
    for chunk in _chunks(data, 12, end):
        yield chunk
        if chunk[0] == b"ANMF":
            for kind, start, stop in _chunks(data, chunk[1] + _FRAME_HEADER, chunk[2]):
                yield kind if kind in _BITSTREAMS else b"", start, stop


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

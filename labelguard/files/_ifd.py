"""The directories of a TIFF: pages counted and the tags that pixels depend on, without decoding anything.

A TIFF library falls back to a default where a tag is damaged, and a default for, say, the bits of a sample turns damage into
wrong ids; here such a tag is a fault. TIFF 6.0 section 2, and the BigTIFF layout of libtiff
(https://libtiff.gitlab.io/libtiff/specification/bigtiff.html).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.files._boundary import ends_early

MAX_PAGES = 10_000
"""Pages that are counted; a longer chain counts as this many."""

MAX_SEGMENTS = 1 << 18
"""Strips or tiles that a page may have: as tiles of 256 x 256 pixels a hundred times more than memory holds."""

_MAX_TAGS = 4096
_NEW_SUBFILE_TYPE, _REDUCED_OR_MASK = 254, 0b101
_INTEGERS = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
_NEEDED = {256: "ImageWidth", 257: "ImageLength", 258: "BitsPerSample", 259: "Compression", 262: "PhotometricInterpretation",
           266: "FillOrder", 273: "StripOffsets", 274: "Orientation", 277: "SamplesPerPixel", 278: "RowsPerStrip",
           279: "StripByteCounts", 284: "PlanarConfiguration", 317: "Predictor", 320: "ColorMap", 322: "TileWidth",
           323: "TileLength", 324: "TileOffsets", 325: "TileByteCounts", 338: "ExtraSamples", 339: "SampleFormat",
           32997: "ImageDepth", 32998: "TileDepth"}
_REQUIRED = (256, 257)
_SINGLE = (256, 257, 259, 262, 266, 274, 277, 278, 284, 317, 322, 323, 32997, 32998)
_LISTS = {273: MAX_SEGMENTS, 279: MAX_SEGMENTS, 324: MAX_SEGMENTS, 325: MAX_SEGMENTS, 320: 3 << 16}
_TEXTS = (270, 42113)  # ImageDescription and GDAL_NODATA
_MAX_TEXT, _MAX_SAMPLES = 4096, 1 << 16


@dataclass(frozen=True, slots=True)
class Directory:
    """The first directory.

    Parameters
    ----------
    order
        ``"<"`` or ``">"``, the byte order of the file.
    tags
        Integer tags that pixels depend on, by number; those of one value too are tuples.
    lists
        Those that may be long, as uint64: offsets and byte counts of strips and tiles, colors.
    texts
        The beginnings of descriptions.
    pages
        How many full pages the chain has.
    """

    order: Literal["<", ">"]
    tags: dict[int, tuple[int, ...]]
    lists: dict[int, NDArray[np.uint64]]
    texts: dict[int, bytes]
    pages: int


def walk(data: bytes) -> Directory:
    """Follow the chain of directories.

    Parameters
    ----------
    data
        The whole file, known to begin as a TIFF.

    Returns
    -------
    Directory
        Reduced images and transparency masks are not counted as pages.

    Raises
    ------
    UnreadableMaskError
        When the chain leaves the file or runs in a circle, or a tag of the first page that its pixels depend on is damaged.
    """
    order: Literal["<", ">"] = "<" if data[:2] == b"II" else ">"
    big = data[2:4] in (b"+\0", b"\0+")
    place, tag_count, entry = (order + "Q", order + "Q", 20) if big else (order + "I", order + "H", 12)
    found = Directory(order, {}, {}, {}, 1)
    seen: set[int] = set()
    pages = 0
    at = _number(data, place, 8 if big else 4)
    while at and len(seen) < MAX_PAGES:
        if at >= len(data):
            raise UnreadableMaskError(f"page {len(seen) + 1} should begin at byte {at:,}, but the file has only {len(data):,} bytes")
        if at in seen:
            raise UnreadableMaskError("the list of its pages runs in a circle")
        count = _number(data, tag_count, at)
        first = at + struct.calcsize(tag_count)
        if not 0 < count <= _MAX_TAGS:
            raise UnreadableMaskError(f"the page at byte {at:,} claims {count:,} tags")
        if not seen:
            _first_page(data, found, big, range(first, first + count * entry, entry))
        # Tags are sorted, and no other tag of an image has a lower number than this one.
        has_kind = _number(data, order + "H", first) == _NEW_SUBFILE_TYPE
        kind = _number(data, order + "I", first + entry - (8 if big else 4)) if has_kind else 0
        pages += not kind & _REDUCED_OR_MASK
        seen.add(at)
        at = _number(data, place, first + count * entry)
    if not seen:
        raise UnreadableMaskError("holds no page")
    return replace(found, pages=max(pages, 1))


def _first_page(data: bytes, found: Directory, big: bool, entries: range) -> None:
    """Fill in the tags that pixels depend on, each of them checked."""
    order, values, inline = found.order, found.order + ("Q" if big else "I"), 8 if big else 4
    for entry in entries:
        code, kind = _number(data, order + "H", entry), _number(data, order + "H", entry + 2)
        count, value = _number(data, values, entry + 4), entry + 4 + inline
        if code in _TEXTS:
            start = value if count <= inline else _number(data, values, value)
            found.texts.setdefault(code, data[start:start + min(count, _MAX_TEXT)])
            continue
        if code not in _NEEDED:
            continue
        name = _NEEDED[code]
        if kind not in _INTEGERS or count == 0 or (code in _SINGLE and count != 1):
            raise UnreadableMaskError(f"its tag {name} at byte {entry:,} is damaged: it does not hold "
                                 f"{'one whole number' if code in _SINGLE else 'whole numbers'}")
        if count > _LISTS.get(code, _MAX_SAMPLES):
            raise UnreadableMaskError(f"its tag {name} holds {count:,} numbers; the limit is {_LISTS.get(code, _MAX_SAMPLES):,}")
        size = count * struct.calcsize("=" + _INTEGERS[kind])
        if size > inline:
            value = _number(data, values, value)
        if value + size > len(data):
            raise UnreadableMaskError(f"its tag {name} points to bytes {value:,} to {value + size:,}, "
                                 f"but the file has only {len(data):,}")
        if code in found.tags or code in found.lists:
            raise UnreadableMaskError(f"has two tags {name}")
        if code in _LISTS:
            found.lists[code] = np.frombuffer(data, f"{order}u{size // count}", count, value).astype(np.uint64)
        else:
            found.tags[code] = struct.unpack_from(f"{order}{count}{_INTEGERS[kind]}", data, value)
    for code in _REQUIRED:
        if code not in found.tags:
            raise UnreadableMaskError(f"has no tag {_NEEDED[code]}")


def _number(data: bytes, code: str, at: int) -> int:
    missing = at + struct.calcsize(code) - len(data)
    if missing > 0:
        raise ends_early(missing)
    value: int = struct.unpack_from(code, data, at)[0]
    return value

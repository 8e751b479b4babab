"""The directories of a TIFF: pages counted and the tags that pixels depend on, without decoding anything.

A TIFF library falls back to a default where a tag is damaged, and a default for, say, the bits of a sample turns damage into
wrong ids; here such a tag is a fault. TIFF 6.0 section 2, and the BigTIFF layout of libtiff
(https://libtiff.gitlab.io/libtiff/specification/bigtiff.html).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from labelguard.errors import UnreadableMaskError
from labelguard.files._boundary import ends_early

MAX_PAGES = 10_000
"""Pages that are counted; a longer chain counts as this many."""

_MAX_TAGS = 4096
_NEW_SUBFILE_TYPE, _REDUCED_OR_MASK = 254, 0b101
_TYPE_BYTES = {1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8}
_INTEGERS = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
_NEEDED = {256: "ImageWidth", 257: "ImageLength", 258: "BitsPerSample", 259: "Compression", 262: "PhotometricInterpretation",
           266: "FillOrder", 273: "StripOffsets", 277: "SamplesPerPixel", 278: "RowsPerStrip", 279: "StripByteCounts",
           284: "PlanarConfiguration", 317: "Predictor", 320: "ColorMap", 322: "TileWidth", 323: "TileLength",
           324: "TileOffsets", 325: "TileByteCounts", 338: "ExtraSamples", 339: "SampleFormat"}
_REQUIRED = (256, 257)
_SINGLE = (256, 257, 259, 262, 266, 277, 284, 317, 322, 323)
_LONG = (273, 279, 320, 324, 325)  # lists that may be long: their place is checked, their values are left to the decoder


@dataclass(frozen=True, slots=True)
class Directory:
    """The first directory: its short integer tags by number, and how many full pages the chain has."""

    tags: dict[int, tuple[int, ...]]
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
    order = "<" if data[:2] == b"II" else ">"
    big = data[2:4] in (b"+\0", b"\0+")
    place, tag_count, entry = (order + "Q", order + "Q", 20) if big else (order + "I", order + "H", 12)
    tags: dict[int, tuple[int, ...]] = {}
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
            tags = _first_page(data, order, big, range(first, first + count * entry, entry))
        # Tags are sorted, and no other tag of an image has a lower number than this one.
        has_kind = _number(data, order + "H", first) == _NEW_SUBFILE_TYPE
        kind = _number(data, order + "I", first + entry - (8 if big else 4)) if has_kind else 0
        pages += not kind & _REDUCED_OR_MASK
        seen.add(at)
        at = _number(data, place, first + count * entry)
    if not seen:
        raise UnreadableMaskError("holds no page")
    return Directory(tags, max(pages, 1))


def _first_page(data: bytes, order: str, big: bool, entries: range) -> dict[int, tuple[int, ...]]:
    """The short integer tags that pixels depend on; all that pixels depend on are checked."""
    count_format, inline = (order + "Q", 8) if big else (order + "I", 4)
    tags: dict[int, tuple[int, ...]] = {}
    for entry in entries:
        code, kind = _number(data, order + "H", entry), _number(data, order + "H", entry + 2)
        if code not in _NEEDED:
            continue
        count = _number(data, count_format, entry + 4)
        value = entry + 4 + inline
        if kind not in _TYPE_BYTES or count == 0 or (code in _SINGLE and count != 1):
            raise UnreadableMaskError(f"its tag {_NEEDED[code]} at byte {entry:,} is damaged: it does not hold "
                                 f"{'one whole number' if code in _SINGLE else 'whole numbers'}")
        size = count * _TYPE_BYTES[kind]
        if size > inline:
            value = _number(data, order + ("Q" if big else "I"), value)
        if value + size > len(data):
            raise UnreadableMaskError(f"its tag {_NEEDED[code]} points to bytes {value:,} to {value + size:,}, "
                                 f"but the file has only {len(data):,}")
        if code in tags:
            raise UnreadableMaskError(f"has two tags {_NEEDED[code]}")
        tags[code] = () if code in _LONG else struct.unpack_from(f"{order}{min(count, 64)}{_INTEGERS[kind]}", data, value)
    for code in _REQUIRED:
        if code not in tags:
            raise UnreadableMaskError(f"has no tag {_NEEDED[code]}")
    return tags


def _number(data: bytes, code: str, at: int) -> int:
    missing = at + struct.calcsize(code) - len(data)
    if missing > 0:
        raise ends_early(missing)
    value: int = struct.unpack_from(code, data, at)[0]
    return value

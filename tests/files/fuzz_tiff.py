"""A TIFF taken apart into its tags and strips, changed there, and put together again with right offsets and counts."""

from __future__ import annotations

import lzma
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

_OFFSETS, _COUNTS = (273, 324), (279, 325)
_FORMS = {1: "B", 2: "B", 3: "H", 4: "I", 5: "Q", 6: "b", 7: "B", 8: "h", 9: "i", 11: "f", 12: "d", 13: "I", 16: "Q", 17: "q", 18: "Q"}
_VALUES: dict[int, tuple[int, ...]] = {
    254: (0, 1, 4), 255: (1, 2), 256: (1, 15, 16, 31, 33, 64), 257: (1, 7, 23, 25, 48), 258: (1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 64),
    259: (1, 5, 8, 32773, 32946, 34925, 50000), 262: (0, 1, 2, 3, 4, 5, 6), 266: (0, 1, 2), 274: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    277: (1, 2, 3, 4), 278: (1, 5, 24, 25, 1 << 31), 284: (1, 2), 317: (1, 2, 3), 322: (16, 32, 48), 323: (16, 32, 48), 338: (0, 1, 2),
    339: (1, 2, 3, 4, 5, 6), 32997: (1, 2), 32998: (1, 2)}
_WIDE = (256, 257, 278)


@dataclass
class Parts:
    """The first page of a TIFF; `strips` have the bytes of strips or tiles."""

    order: str
    big: bool
    tags: dict[int, tuple[int, list[float]]] = field(default_factory=dict)
    strips: list[bytes] = field(default_factory=list)


def apart(data: bytes) -> Parts:
    """Take the first page apart."""
    order, big = "<" if data[:2] == b"II" else ">", data[2:4] in (b"+\0", b"\0+")
    parts, word, size = Parts(order, big), "Q" if big else "I", 8 if big else 4
    at, = struct.unpack_from(order + word, data, 8 if big else 4)
    count, = struct.unpack_from(order + ("Q" if big else "H"), data, at)
    for entry in range(at + (8 if big else 2), at + (8 if big else 2) + min(count, 99) * (20 if big else 12), 20 if big else 12):
        code, kind, number = struct.unpack_from(order + "HH" + word, data, entry)
        form = f"{order}{min(number, 1 << 16)}{_FORMS[kind]}"
        place = entry + 4 + size
        if struct.calcsize(form) > size:
            place, = struct.unpack_from(order + word, data, place)
        parts.tags[code] = kind, list(struct.unpack_from(form, data, place))
    for offsets, counts in zip(_OFFSETS, _COUNTS, strict=True):
        if offsets in parts.tags and counts in parts.tags:
            parts.strips = [data[int(start):int(start + length)] for start, length in
                            zip(parts.tags[offsets][1], parts.tags[counts][1], strict=False)]
    return parts


def together(parts: Parts, source: random.Random) -> bytes:
    """Put a page together; at times the directory comes first, or offsets and counts are left as they were."""
    order, word, size = parts.order, "Q" if parts.big else "I", 8 if parts.big else 4
    head, body, at = 16 if parts.big else 8, b"".join(parts.strips), 16 if parts.big else 8
    if source.random() < 0.95:
        starts = []
        for strip in parts.strips:
            starts.append(at)
            at += len(strip)
        for codes, values in ((_OFFSETS, starts), (_COUNTS, [len(strip) for strip in parts.strips])):
            for code in codes:
                if code in parts.tags:
                    parts.tags[code] = (16 if parts.big else 4), list(values)
    start = head + len(body)
    first = struct.pack(order + ("Q" if parts.big else "H"), len(parts.tags))
    after = start + len(first) + len(parts.tags) * (20 if parts.big else 12) + size
    entries, behind = [], b""
    for code, (kind, values) in sorted(parts.tags.items()):
        value = struct.pack(f"{order}{len(values)}{_FORMS[kind]}", *values)
        if len(value) > size:
            value, behind = struct.pack(order + word, after + len(behind)), behind + value
        entries.append(struct.pack(order + "HH" + word, code, kind, len(values)) + value.ljust(size, b"\0"))
    magic = (b"II" if order == "<" else b"MM") + (struct.pack(order + "HHHQ", 43, 8, 0, start) if parts.big
                                                  else struct.pack(order + "HI", 42, start))
    return b"".join([magic, body, first, *entries, bytes(size), behind])


def change_tiff(data: bytes, source: random.Random) -> bytes:
    """One change to a tag, to a strip, or to how the pixels are compressed."""
    parts = apart(data)
    kind = source.randrange(8)
    if kind <= 2:
        code = source.choice([*_VALUES, *[code for code in parts.tags if code in _VALUES] * 3])
        old = parts.tags.get(code, (3, [1]))
        number = len(old[1]) if source.random() < 0.9 else source.choice((1, 2, 3, 4))
        parts.tags[code] = (4 if code in _WIDE else 3), [source.choice(_VALUES[code])] * number
    elif kind == 3:
        parts.tags.pop(source.choice(list(parts.tags)))
    elif kind == 4 and parts.strips:
        at = source.randrange(len(parts.strips))
        parts.strips[at] = _damaged(parts.strips[at], source)
    elif kind == 5 and parts.strips:
        source.shuffle(parts.strips)
        if source.random() < 0.3:
            parts.strips.pop()
    elif kind == 6:
        codec = source.choice([code for code in _PACKED if code != 1])
        old_codec = int(parts.tags.get(259, (3, [1]))[1][0])
        if old_codec in _UNPACKED:
            parts.strips = [_PACKED[codec](_UNPACKED[old_codec](strip)) for strip in parts.strips]
            parts.tags[259] = 3, [codec]
    else:
        code = source.choice(list(parts.tags))
        tag_kind, values = parts.tags[code]
        at = source.randrange(len(values))
        values[at] = source.choice((0, 1, 2, values[at] + 1, max(0, values[at] - 1), len(data), 255, 65535))
        parts.tags[code] = source.choice((tag_kind, tag_kind, 3, 4, 16)), [int(value) for value in values]
    return together(parts, source)


def _damaged(strip: bytes, source: random.Random) -> bytes:
    if not strip:
        return source.randbytes(9)
    at, out = source.randrange(len(strip)), bytearray(strip)
    kind = source.randrange(4)
    if kind == 0:
        out[at] ^= 1 << source.randrange(8)
    elif kind == 1:
        out[at:at + 4] = source.randbytes(4)
    elif kind == 2:
        del out[at:at + source.choice((1, 2, 9))]
    else:
        out[at:at] = source.randbytes(source.choice((1, 2, 9)))
    return bytes(out)


def _packbits(data: bytes) -> bytes:
    return b"".join(bytes((len(data[at:at + 128]) - 1,)) + data[at:at + 128] for at in range(0, len(data), 128))


_PACKED: dict[int, Callable[[bytes], bytes]] = {
    1: bytes, 8: zlib.compress, 32946: lambda data: zlib.compress(data, 1), 34925: lambda data: lzma.compress(data), 32773: _packbits}
_UNPACKED: dict[int, Callable[[bytes], bytes]] = {1: bytes, 8: zlib.decompress, 34925: lzma.decompress}

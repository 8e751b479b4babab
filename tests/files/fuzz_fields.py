"""Files taken apart into their chunks, segments, blocks or tags, changed there, and put together again with right lengths and checksums.

Damage to bytes alone mostly ends at the first checksum or length; this gets behind it. A file that cannot be taken apart stays as it is.
"""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable

from tests.files.fuzz_tiff import change_tiff

Piece = tuple[bytes, bytes]  # a name, or what stands before a length; and what the length counts


def change_fields(data: bytes, source: random.Random) -> bytes:
    """One change to the structure of a file."""
    for magic, change in _CHANGES:
        if data.startswith(magic):
            try:
                return change(data, source)
            except Exception:  # an earlier change has damaged what a change needs
                return data
    return data


def changed(body: bytes, source: random.Random, numbers: str = ">") -> bytes:
    """A body with some bytes, or a number in it, changed; sometimes longer or shorter."""
    if not body:
        return source.randbytes(source.choice((0, 1, 4, 30)))
    kind, at, out = source.randrange(6), source.randrange(len(body)), bytearray(body)
    if kind == 0:
        out[at] ^= 1 << source.randrange(8)
    elif kind == 1:
        out[at] = source.choice((0, 1, 2, 3, 4, 8, 16, 127, 128, 254, 255))
    elif kind == 2:
        form = numbers + source.choice("HI")
        if len(body) >= struct.calcsize(form):
            at = source.randrange(len(body) - struct.calcsize(form) + 1)
            near = struct.unpack_from(form, body, at)[0] + source.choice((-1, 1))
            value = source.choice((0, 1, 2, 24, 31, 32, 33, 255, 256, 65535, 1 << 20, (1 << 31) - 1, (1 << 32) - 1, near))
            struct.pack_into(form, out, at, value % (1 << 8 * struct.calcsize(form)))
    elif kind == 3:
        del out[at:at + source.choice((1, 2, 3, 16))]
    elif kind == 4:
        out[at:at] = source.randbytes(source.choice((1, 2, 3, 16)))
    else:
        out[at:at] = out[at:at + source.choice((1, 4, 40))] * source.choice((1, 2, 9))
    return bytes(out)


def rearranged(pieces: list[Piece], source: random.Random, others: tuple[Piece, ...], numbers: str = ">") -> list[Piece]:
    """Pieces with one changed, renamed, moved, doubled, left out, or put in."""
    kind, at = source.randrange(7), source.randrange(len(pieces))
    name, body = pieces[at]
    if kind <= 2:
        return [*pieces[:at], (name, changed(body, source, numbers)), *pieces[at + 1:]]
    if kind == 3:
        return [*pieces[:at], *pieces[at:at + 1] * source.choice((0, 2, 3, 30)), *pieces[at + 1:]]
    if kind == 4:
        to = source.randrange(len(pieces))
        return [*pieces[:to], pieces[at], *pieces[to:]]
    if kind == 5:
        return [*pieces[:at], source.choice(others), *pieces[at:]]
    cut = source.randrange(len(body) + 1)
    return [*pieces[:at], (name, body[:cut]), (name, body[cut:]), *pieces[at + 1:]]


def _png(data: bytes, source: random.Random) -> bytes:
    at, pieces = 8, []
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        pieces.append((name, data[at + 8:at + 8 + size]))
        at += 12 + size
    if source.random() < 0.4:
        pieces = _with_other_pixels(pieces, source)
    else:
        pieces = rearranged(pieces, source, _CHUNKS)
    return data[:8] + b"".join(struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
                               for name, body in pieces)


_EXIF = b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"
_HEADER_FIELDS = ((8, (1, 2, 4, 8, 16)), (9, (0, 2, 3, 4, 6)), (12, (0, 1)), (3, (0, 1, 31, 33, 64)), (7, (0, 1, 23, 25)))
_CHUNKS: tuple[Piece, ...] = (
    (b"tRNS", b"\0\1\2"), (b"PLTE", bytes(range(30))), (b"PLTE", bytes(7)), (b"gAMA", struct.pack(">I", 45455)), (b"IEND", b""),
    (b"eXIf", _EXIF), (b"eXIf", b"MM"), (b"acTL", struct.pack(">II", 2, 0)),
    (b"fcTL", struct.pack(">IIIIIHHBB", 0, 32, 24, 0, 0, 1, 1, 0, 0)), (b"fdAT", bytes(9)), (b"IDAT", b""), (b"IDAT", b"x\x9c\3\0"),
    (b"sBIT", b"\3"), (b"bKGD", b"\1"), (b"hIST", bytes(10)), (b"ABCD", b"?"), (b"abCd", b"?"), (b"IHDR", bytes(13)),
    (b"iCCP", b"a\0\0" + zlib.compress(bytes(128))), (b"tEXt", b"a\0b"), (b"zTXt", b"a\0\0" + zlib.compress(bytes(99999))))


def _with_other_pixels(pieces: list[Piece], source: random.Random) -> list[Piece]:
    """The header or the pixel stream changed, and the other made to fit at times."""
    where = [number for number, (name, _) in enumerate(pieces) if name == b"IDAT"]
    raw = bytearray(zlib.decompress(b"".join(pieces[number][1] for number in where)))
    header = bytearray(dict(pieces)[b"IHDR"])
    kind = source.randrange(5)
    if kind == 0:
        raw = bytearray(changed(bytes(raw), source))
    elif kind == 1:
        for _ in range(source.choice((1, 9, 200))):
            raw[source.randrange(len(raw))] = source.choice((0, 1, 2, 3, 4, 5, 255, source.randrange(256)))
    else:
        field, values = source.choice(_HEADER_FIELDS)
        header[field] = source.choice(values)
    if kind > 2 and max(header[2:4]) > 0 and header[8] <= 16:  # as many bytes as the header asks for, where it is not interlaced
        width, height = struct.unpack_from(">II", header)
        row = 1 + (width * header[8] * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(header[9], 1) + 7) // 8
        if row * height < 1 << 16:
            raw = bytearray((bytes(raw) * 99)[:row * height])
            raw[::row] = bytes(source.randrange(5) for _ in range(len(raw[::row])))
    packed = zlib.compress(bytes(raw), source.choice((0, 1, 9)))
    body = source.choice((packed, packed, packed, changed(packed, source)))
    out = [(name, bytes(header) if name == b"IHDR" else piece) for name, piece in pieces if name != b"IDAT"]
    return [*out[:-1], (b"IDAT", body), out[-1]]


def _webp(data: bytes, source: random.Random) -> bytes:
    at, pieces = 12, []
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        pieces.append((name, data[at + 8:at + 8 + size]))
        at += 8 + size + (size & 1)
    others = ((b"EXIF", _EXIF), (b"ALPH", b"\0" * 40), (b"VP8X", struct.pack("<II", 0x1F10, 0x170000) + b"\0\0"), (b"ANIM", bytes(6)),
              (b"XMP ", b"<x/>"), (b"ICCP", bytes(128)), (b"ABCD", b"?"))
    body = b"".join(name + struct.pack("<I", len(piece)) + piece + bytes(len(piece) & 1)
                    for name, piece in rearranged(pieces, source, others, "<"))
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def _jpeg(data: bytes, source: random.Random) -> bytes:
    at, pieces = 2, []
    while data[at + 1] != 0xDA:
        size = struct.unpack_from(">H", data, at + 2)[0]
        pieces.append((data[at:at + 2], data[at + 4:at + 2 + size]))
        at += 2 + size
    size = struct.unpack_from(">H", data, at + 2)[0]
    scan, rest = (data[at:at + 2], data[at + 4:at + 2 + size]), data[at + 2 + size:]
    if source.random() < 0.2:
        rest = changed(rest[:-2], source) + b"\xff\xd9"
    others = ((b"\xff\xfe", b"words"), (b"\xff\xdd", b"\0\1"), (b"\xff\xe1", b"Exif\0\0" + _EXIF),
              (b"\xff\xee", b"Adobe\0\x64\0\0\0\0\1"), (b"\xff\xee", b"Adobe"), (b"junk\xff\xfe", b""), (b"\xff\xff\xff\xfe", b""),
              (b"\xff\xe2", b"MPF\0" + bytes(20)), (b"\xff\xe2", b"ICC_PROFILE\0\1\2"), (b"\xff\xc4", bytes(17)))
    pieces = rearranged([*pieces, scan], source, others)
    return data[:2] + b"".join(name + struct.pack(">H", len(body) + 2 & 0xFFFF) + body for name, body in pieces) + rest


def _bmp(data: bytes, source: random.Random) -> bytes:
    out = bytearray(data)
    start, size = struct.unpack_from("<II", data, 10)
    field, form, values = source.choice((
        (28, "<H", (1, 2, 4, 8, 16, 24, 32)), (30, "<I", (0, 1, 2, 3, 4, 6)), (22, "<i", (-24, 24, 1, -1, 0, 23, 25)),
        (18, "<i", (32, 31, 33, 1, 0, -32)), (46, "<I", (0, 1, 2, 5, 16, 255, 256, 257)),
        (10, "<I", (0, start - 1, start + 1, 54, 26, 14 + size, len(data))), (14, "<I", (12, 40, 52, 56, 64, 108, 124))))
    kind = source.randrange(3)
    if kind == 0:
        struct.pack_into(form, out, field, source.choice(values) % (1 << 31) if form != "<i" else source.choice(values))
    elif kind == 1:  # palette or masks
        out[14 + size:start] = changed(bytes(out[14 + size:start]), source, "<")
        struct.pack_into("<I", out, 10, start + len(out) - len(data))
    else:
        out[start:] = changed(bytes(out[start:]), source, "<")
    struct.pack_into("<I", out, 2, len(out) % (1 << 32))
    return bytes(out)


def _gif(data: bytes, source: random.Random) -> bytes:
    out, table = bytearray(data), 13 + (6 << (data[10] & 7) if data[10] & 0x80 else 0)
    frames = [found.start() for found in re.finditer(rb",", data[table:])]
    kind = source.randrange(4)
    if kind == 0:
        struct.pack_into("<H", out, source.choice((6, 8)), source.choice((0, 1, 23, 24, 25, 31, 32, 33, 300)))
    elif kind == 1:
        out[10] = source.choice((0x80, 0x81, 0x82, 0x87, 0, out[10] ^ 1))
    elif kind == 2 and frames:
        at = table + source.choice(frames)
        place = source.randrange(1, 11)
        out[at + place] = source.choice((0, 1, 2, 8, 24, 32, 0x40, 0x80, 0x87, 0xC0))
    else:
        block = source.choice((b"!\xf9\4\1\0\0\3\0", b"!\xf9\4\x0d\0\0\0\0", b"!\xfe\5words\0", b"!\xff\x0bNETSCAPE2.0\3\1\0\0\0"))
        out[table:table] = block
    return bytes(out)


def _npy(data: bytes, source: random.Random) -> bytes:
    end = 10 + struct.unpack_from("<H", data, 8)[0]
    header, body = data[10:end].decode("latin-1").rstrip(), data[end:]
    kind = source.randrange(4)
    if kind == 0:
        descr = source.choice(("|u1", "<u2", ">u2", "<i4", ">i8", "<f4", ">f2", "<f8", "|b1", "|O", "<c8", "<U4", "|S3", "<M8[s]", "|V8"))
        header = re.sub(r"'descr': '[^']*'", f"'descr': '{descr}'", header)
    elif kind == 1:
        header = header.replace("False", "?").replace("True", "False").replace("?", "True")
    elif kind == 2:
        shape = source.choice(((24, 32), (32, 24), (1, 24, 32), (24, 32, 1), (768,), (24, 8, 4), (3, 16, 16), (0, 3), (1 << 40, 1)))
        header = re.sub(r"'shape': \([^)]*\)", f"'shape': {shape}", header)
    else:
        body = changed(body, source, "<")
    text = header.encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    if source.random() < 0.7:  # as many values as the header asks for
        found = re.search(r"'descr': '[<>|]?\w(\d)'.*'shape': \(([\d, ]*)\)", header)
        sides = [int(side) for side in found[2].split(",") if side.strip()] if found else []
        wanted = 1
        for side in sides:
            wanted *= side
        if found and wanted * int(found[1]) < 1 << 16:
            body = (body * 20)[:wanted * int(found[1])]
    return data[:8] + struct.pack("<H", len(text)) + text + body


_CHANGES: tuple[tuple[bytes, Callable[[bytes, random.Random], bytes]], ...] = (
    (b"\x89PNG", _png), (b"RIFF", _webp), (b"\xff\xd8", _jpeg), (b"BM", _bmp), (b"GIF8", _gif), (b"\x93NUMPY", _npy),
    (b"II", change_tiff), (b"MM", change_tiff))

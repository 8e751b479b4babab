"""Damaged files by the thousand: a seeded stream of mutants of small good ones.

By hand: ``python tests/files/fuzz.py 10000 [SEED]`` feeds them to labelguard and prints what came out and what took longest.
"""

from __future__ import annotations

import random
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Any

import numpy as np

Seed = tuple[str, bytes]

_EDGES = (0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000,
          0xFFFFFFFF)


def mutants(seed_files: Sequence[Seed], count: int, seed: int) -> Iterator[Seed]:
    """Damage files in ways that transfers, disks and bad writers do, and in ways that only an attacker would.

    Parameters
    ----------
    seed_files
        Good files as (name, content).
    count
        How many mutants.
    seed
        The same number gives the same mutants.

    Yields
    ------
    tuple of str and bytes
        The name of the file that a mutant came from, and the mutant.
    """
    source = random.Random(seed)
    for _ in range(count):
        name, data = source.choice(seed_files)
        damaged = data
        for _ in range(source.choice((1, 1, 1, 2, 4))):
            damaged = source.choice(_DAMAGES)(damaged, source, seed_files)
        if data.startswith(b"\x89PNG") and source.random() < 0.5:
            damaged = with_checksums(damaged)
        yield name, damaged


def with_checksums(data: bytes) -> bytes:
    """A PNG whose chunk checksums are right again, so that its damage is met by what comes after them."""
    parts, at = [data[:8]], 8
    while at + 12 <= len(data):
        size = struct.unpack_from(">I", data, at)[0]
        end = at + 8 + size
        if end + 4 > len(data):
            break
        parts += [data[at:end], struct.pack(">I", zlib.crc32(data[at + 4:end]))]
        at = end + 4
    return b"".join(parts) + data[at:]


def _flip_bits(data: bytes, source: random.Random, others: Sequence[Seed]) -> bytes:
    damaged = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 8)) if damaged else 0):
        # Headers are short and decide the most.
        damaged[source.randrange(min(len(damaged), source.choice((64, 512, 1 << 30))))] ^= 1 << source.randrange(8)
    return bytes(damaged)


def _cut(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    return data[:source.randrange(len(data) + 1)]


def _cut_out(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start = source.randrange(len(data) + 1)
    return data[:start] + data[start + source.choice((1, 2, 4, 16, 256)):]


def _overwrite(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start, size = source.randrange(len(data) + 1), source.choice((1, 4, 16, 64, 512))
    run = source.choice((bytes(size), b"\xff" * size, source.randbytes(size)))
    return data[:start] + run[:len(data) - start] + data[start + size:]


def _edit_number(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    """Overwrite what may be a length, a count or an offset with a number at some edge."""
    form = source.choice(("<H", ">H", "<I", ">I", "<I", ">I", "<Q", ">Q"))
    size = struct.calcsize(form)
    if len(data) < size:
        return data
    at = source.randrange(min(len(data) - size + 1, source.choice((64, 512, 1 << 30))))
    near = struct.unpack_from(form, data, at)[0] + source.choice((-1, 1, 2))
    value = source.choice((*_EDGES, len(data), len(data) - 1, len(data) + 1, near))
    return data[:at] + struct.pack(form, value % (1 << 8 * size)) + data[at + size:]


def _splice(data: bytes, source: random.Random, others: Sequence[Seed]) -> bytes:
    """The beginning of one file and the end of another, or a piece of another in the middle."""
    other = source.choice(others)[1]
    at, start = source.randrange(len(data) + 1), source.randrange(len(other))
    if source.random() < 0.5:
        return data[:at] + other[start:]
    return data[:at] + other[start:start + source.randrange(1, 200)] + data[at:]


def _repeat(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start = source.randrange(len(data) + 1)
    piece = data[start:start + source.randrange(1, 200)]
    return data[:start] + piece * source.choice((2, 3, 40)) + data[start + len(piece):]


_DAMAGES: tuple[Callable[[bytes, random.Random, Sequence[Seed]], bytes], ...] = (
    _flip_bits, _flip_bits, _cut, _cut_out, _overwrite, _edit_number, _edit_number, _splice, _repeat)


def good_files() -> list[Seed]:
    """Small files of every format that labelguard reads, in most of their kinds."""
    import tifffile
    from PIL import Image

    labels = np.kron(np.random.default_rng(0).integers(0, 5, (6, 8)), np.ones((4, 4), int)).astype(np.uint8)
    colors = np.stack((labels, 40 * labels, 255 - labels), axis=2)
    grey, rgb = Image.fromarray(labels), Image.fromarray(colors)
    indexed = Image.fromarray(labels)
    indexed.putpalette([7, 7, 7, 200, 0, 0, 0, 200, 0, 0, 0, 200, 9, 9, 90])
    wide = Image.fromarray(labels.astype(np.uint16) * 1000)
    bilevel = grey.point(lambda level: 255 * (level > 2)).convert("1")
    files: list[Seed] = []

    def saved(name: str, image: Image.Image, form: str, **options: object) -> None:
        target = BytesIO()
        image.save(target, form, **options)
        files.append((name, target.getvalue()))

    for name, image in (("grey", grey), ("rgb", rgb), ("palette", indexed), ("16", wide), ("1", bilevel),
                        ("alpha", rgb.convert("RGBA"))):
        saved(f"{name}.png", image, "PNG")
    saved("4.png", indexed, "PNG", bits=4)
    for name, image in (("grey", grey), ("rgb", rgb), ("palette", indexed), ("1", bilevel)):
        saved(f"{name}.bmp", image, "BMP")
    files.append(("rle8.bmp", run_length_bmp(labels)))
    for name, image in (("grey", grey), ("palette", indexed)):
        saved(f"{name}.gif", image, "GIF")
    saved("frames.gif", indexed, "GIF", save_all=True, append_images=[grey, indexed])
    saved("lossless.webp", rgb, "WEBP", lossless=True)
    saved("lossy.webp", rgb, "WEBP")
    saved("frames.webp", rgb, "WEBP", save_all=True, append_images=[rgb.transpose(Image.Transpose.ROTATE_180)])
    saved("grey.jpg", grey, "JPEG")
    saved("rgb.jpg", rgb, "JPEG", progressive=True)
    for dtype in ("uint8", ">u2", "int64", "float32", "bool"):
        target = BytesIO()
        np.save(target, labels.astype(dtype))
        files.append((f"{dtype}.npy", target.getvalue()))
    for dtype, options in (
            ("uint8", {}), ("uint16", {"byteorder": ">"}), ("int32", {"bigtiff": True}), ("bool", {}),
            ("float32", {"compression": "zlib", "predictor": True}), ("uint8", {"compression": "lzw", "tile": (16, 16)}),
            ("uint8", {"compression": "packbits", "rowsperstrip": 5}),
            ("uint8", {"compression": "jpeg"}), ("uint8", {"compression": "jpegxl"}), ("uint8", {"compression": "jpegxr"}),
            ("int16", {"compression": "zlib", "predictor": 2}), ("uint8", {"compression": "lzw", "predictor": 2, "rowsperstrip": 7}),
            ("uint16", {"compression": "zstd"}), ("uint8", {"compression": "lzma"})):
        target = BytesIO()
        tifffile.imwrite(target, labels.astype(dtype), photometric="minisblack", **options)
        files.append((f"{dtype}-{options.get('compression', 'raw')}.tif", target.getvalue()))
    stack, ramp = np.stack((labels, labels)), np.arange(768, dtype=np.uint16).reshape(3, 256)
    more: tuple[tuple[str, np.ndarray, dict[str, Any]], ...] = (
        ("rgb", colors, {"photometric": "rgb"}),
        ("pages", stack, {"photometric": "minisblack"}), ("imagej", stack, {"imagej": True}),
        ("palette", labels, {"photometric": "palette", "colormap": ramp}))
    for name, array, keywords in more:
        target = BytesIO()
        tifffile.imwrite(target, array, **keywords)
        files.append((f"{name}.tif", target.getvalue()))
    return files


def run_length_bmp(labels: np.ndarray, nibbles: bool = False) -> bytes:
    """An RLE8 or RLE4 BMP with a color palette, each row one run after another; no writer at hand makes them."""
    stream = bytearray()
    for row in labels[::-1]:
        for value in row.tolist():
            stream += bytes((1, value << 4 if nibbles else value))
        stream += b"\0\0"
    stream += b"\0\1"
    colors = bytes((0, 0, 200, 0, 0, 200, 0, 0)) + bytes(4 * ((16 if nibbles else 256) - 2))
    start = 54 + len(colors)
    height, width = labels.shape
    return (struct.pack("<2sIHHI", b"BM", start + len(stream), 0, 0, start)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 4 if nibbles else 8, 2 if nibbles else 1, len(stream), 0, 0, 0, 0)
            + colors + stream)


def main(count: int, seed: int) -> None:
    """Feed mutants to labelguard; anything but facts or `UnreadableMaskError` ends the run with its traceback."""
    from labelguard.errors import UnreadableMaskError
    from labelguard.files.mask import facts_of

    outcomes: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    slowest: list[tuple[float, int, str]] = []
    for number, (name, data) in enumerate(mutants(good_files(), count, seed)):
        begin = time.perf_counter()
        try:
            facts_of(data, name)
            outcomes["read"] += 1
        except UnreadableMaskError as error:
            outcomes["unreadable"] += 1
            kind = "".join(letter for letter in str(error) if letter.isalpha() or letter == " ")[:60]
            reasons.setdefault(kind, f"{name}: {error}")
        except BaseException:
            print(f"mutant {number} of seed {seed}, from {name}")
            raise
        slowest = sorted([*slowest, (time.perf_counter() - begin, number, name)], reverse=True)[:5]
    print(dict(outcomes))
    print(*sorted(reasons.values()), sep="\n")
    print("slowest, in seconds:", *slowest, sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, int(sys.argv[2]) if len(sys.argv) > 2 else 0)

"""Folders drawn to take as much memory as one file can, in any size: each is a function of the folder and of a number of bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from math import isqrt
from pathlib import Path

import numpy as np
from PIL import Image

_RANDOM = np.random.default_rng(0)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(height: int, width: int, middle: bytes, bits: int = 8) -> bytes:
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + middle + _chunk(b"IEND", b"")


def _flat_png(side: int, bits: int = 8) -> bytes:
    deflate = zlib.compressobj(1)
    row = bytes(1 + side * bits // 8)
    return _png(side, side, _chunk(b"IDAT", b"".join(deflate.compress(row) for _ in range(side)) + deflate.flush()), bits)


def sparse_files(folder: Path, size: int) -> None:
    """Files that hold nothing, and say that they are large."""
    for name, part in (("a.png", 1), ("b.npy", 1), ("c.tif", 2), ("d.bmp", 2)):
        with (folder / name).open("wb") as file:
            file.truncate(size // part)


def sparse_arrays(folder: Path, size: int) -> None:
    """Arrays of nothing but zeros that the disk holds no block of."""
    for name, dtype, fortran in (("float64", "<f8", False), ("int64-fortran", "<i8", True), ("swapped", ">i8", False)):
        side = isqrt(size // 8)
        with (folder / f"{name}.npy").open("wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": fortran, "shape": (side, side)})
            file.truncate(file.tell() + 8 * side * side)


def many_ids(folder: Path, size: int) -> None:
    """Another id in nearly every pixel."""
    side = isqrt(size // 8)
    np.save(folder / "ids.npy", _RANDOM.integers(0, 2 ** 62, (side, side)))
    np.save(folder / "few.npy", _RANDOM.integers(0, 50, (side, side)) * 100_000_007)


def empty_chunks(folder: Path, size: int) -> None:
    """PNGs cut into as many chunks as there can be."""
    stream = zlib.compress(bytes(11) * 10)
    empty, single = _chunk(b"IDAT", b""), b"".join(_chunk(b"IDAT", stream[at:at + 1]) for at in range(len(stream)))
    (folder / "few.png").write_bytes(_png(10, 10, empty * 1000 + single))
    (folder / "many.png").write_bytes(_png(10, 10, empty * (size // len(empty)) + single))
    (folder / "text.png").write_bytes(_png(10, 10, _chunk(b"tEXt", b"") * (size // len(empty)) + single))
    noise = zlib.compress(b"".join(b"\0" + _RANDOM.bytes(side) for side in [isqrt(size // 13)] * isqrt(size // 13)), 0)
    singles = b"".join(_chunk(b"IDAT", noise[at:at + 1]) for at in range(len(noise)))
    (folder / "single.png").write_bytes(_png(isqrt(size // 13), isqrt(size // 13), singles))


def comments(folder: Path, size: int) -> None:
    """GIFs of comments, and of frames."""
    Image.fromarray(np.eye(20, dtype=np.uint8)).save(folder / "a.gif")
    data = (folder / "a.gif").read_bytes()
    at = 13 + (6 << (data[10] & 7) if data[10] & 0x80 else 0)
    (folder / "blocks.gif").write_bytes(data[:at] + b"!\xfe" + b"\1c" * (size // 2) + b"\0" + data[at:])
    (folder / "full.gif").write_bytes(data[:at] + b"!\xfe" + (b"\xff" + b"c" * 255) * (size // 256) + b"\0" + data[at:])
    (folder / "frames.gif").write_bytes(data[:at] + data[at:-1] * (size // (len(data) - at)) + b";")


def photographs(folder: Path, size: int) -> None:
    """Color photographs of pure noise among the masks, 8 and 16 bits, and with alpha."""
    side = isqrt(size // 3)
    noise = _RANDOM.integers(0, 256, (side, side, 4), np.uint8)
    for name, channels in (("rgb.png", 3), ("rgba.png", 4)):
        Image.fromarray(noise[:, :, :channels]).save(folder / name, compress_level=1)
    Image.fromarray(noise[:, :, :3]).save(folder / "rgb.jpg")
    Image.fromarray(noise[:, :, :3]).save(folder / "rgb.bmp")
    np.save(folder / "rgb16.npy", noise[::2, :, :3].astype(np.uint16) * 251)


def large_masks(folder: Path, size: int) -> None:
    """PNGs of one color whose pixels take a thousand times their size on disk."""
    side = isqrt(size) // 8 * 8
    (folder / "grey.png").write_bytes(_flat_png(side))
    (folder / "again.png").write_bytes(_flat_png(side))
    (folder / "bit.png").write_bytes(_flat_png(side, 1))
    (folder / "deep.png").write_bytes(_flat_png(side // 2 // 8 * 8, 16))
    interlaced = bytearray(_flat_png(side))
    interlaced[28] = 1
    interlaced[29:33] = struct.pack(">I", zlib.crc32(interlaced[12:29]))
    (folder / "interlaced.png").write_bytes(interlaced)


def channels(folder: Path, size: int) -> None:
    """Arrays with few pixels of very many channels."""
    np.save(folder / "wide.npy", np.zeros((2, 2, size // 4), np.uint8))
    np.save(folder / "tall.npy", np.zeros((size // 40, 40, 1), np.uint8))


FOLDERS: dict[str, Callable[[Path, int], None]] = {
    draw.__name__: draw for draw in (sparse_files, sparse_arrays, many_ids, empty_chunks, comments, photographs, large_masks, channels)}

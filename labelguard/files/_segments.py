"""The strips and tiles of a TIFF page: checked before they are decoded, decoded one by one so that a fault has a place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.files import _codecs
from labelguard.files._boundary import ends_early
from labelguard.files._tiff_page import Page
from labelguard.files.limits import MAX_BYTES, check_size
from labelguard.files.memory import take

_REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)[:, ::-1], axis=1)[:, 0]
_BAND_BITS = 1 << 22
_NO_PREDICTOR, _HORIZONTAL, _FLOATING = 1, 2, 3
_WITHOUT_PREDICTOR = (1, 32773)  # libtiff does not look for one


def check(page: Page, size: int, stacked: bool) -> None:
    """Check strips or tiles before anything is decoded.

    Parameters
    ----------
    page
        A page.
    size
        Bytes of the whole file.
    stacked
        Whether more pages may lie behind the first in the same strip.

    Raises
    ------
    UnreadableMaskError
        When one lies outside the file, all are empty, they overlap, or hold more than the page has room for or memory allows.
    """
    name, wanted = page.name, page.planes * math.prod(page.grid)
    segment = check_size((page.rows, page.columns, page.planes_deep * page.samples // page.planes), page.dtype.itemsize)
    if wanted * page.room > 2 * MAX_BYTES:
        raise UnreadableMaskError(f"its {wanted:,} {name}s of {page.rows} x {page.columns} pixels take too much to decode: "
                             f"{wanted * page.room / 1e6:,.0f} MB in all")
    named = min(len(page.offsets), len(page.counts))
    if named < wanted:
        raise UnreadableMaskError(f"names only {named:,} of its {wanted:,} {name}s")
    offsets, counts = page.offsets[:wanted], page.counts[:wanted]
    end, stored = int((offsets + counts).max()), int(np.minimum(counts, size).sum())
    if end > size:
        raise ends_early(end - size)
    if not stored:
        raise UnreadableMaskError(f"holds no pixels: every {name} is empty")
    if stored > size:
        raise UnreadableMaskError(f"its {name}s claim {stored:,} bytes in all, and the file has only {size:,}: they overlap")
    take(_memory(page, segment, int(counts.max())))
    if page.compression != 1:
        return
    sparse = bool((_sparse(page)[:wanted]).any())
    if not page.tiled and not sparse and stored < page.bytes:
        raise UnreadableMaskError(f"stores {stored:,} bytes of pixels where its header asks for {page.bytes:,}")
    room = wanted * page.room
    if stored >= room + page.row_bytes and not stacked:
        raise UnreadableMaskError(f"stores {stored:,} bytes of pixels where its header has room for {room:,}")


def _memory(page: Page, segment: int, count: int) -> int:
    """Bytes that decoding takes at one time: the page, and one strip or tile in the stages of its decoding."""
    whole = page.height * page.width * page.samples * page.dtype.itemsize
    decompressed = 2 * page.room if page.compression != 1 else 0  # decoders put it together from parts, or keep a window of it
    undone = 3 * segment if page.predictor != _NO_PREDICTOR or page.bits % 8 else 0
    return whole + decompressed + undone + (count if page.reversed_bits else 0)


def _sparse(page: Page) -> NDArray[np.bool_]:
    """Where strips or tiles are left out: as GDAL writes a part that holds nothing but the no-data value."""
    named = min(len(page.offsets), len(page.counts))
    empty: NDArray[np.bool_] = (page.offsets[:named] == 0) & (page.counts[:named] == 0)
    return empty


def decode(page: Page, data: bytes, empty: float) -> NDArray[Any]:
    """Decode the first plane in depth of a page that `check` has passed.

    Parameters
    ----------
    page
        The page.
    data
        The whole file.
    empty
        What the pixels of strips or tiles are that are left out.

    Returns
    -------
    ndarray
        (H, W, samples), native byte order.

    Raises
    ------
    UnreadableMaskError
        When a strip or tile cannot be decoded, naming its place and codec.
    """
    whole = np.empty((page.height, page.width, page.samples), page.dtype)
    sparse = _sparse(page).tolist()
    if any(sparse) and np.array(empty).astype(page.dtype) != empty:
        raise UnreadableMaskError(f"leaves out parts that hold {empty}, a number that its samples cannot hold")
    for plane in range(page.planes):
        target = whole[:, :, plane:plane + 1] if page.separate else whole
        number = plane * math.prod(page.grid)
        for top in range(0, page.height, page.rows):
            for left in range(0, page.width, page.columns):
                part = target[top:top + page.rows, left:left + page.columns]
                part[...] = empty if sparse[number] else _segment(page, data, number, len(part))[:, :part.shape[1]]
                number += 1
    return whole


def _segment(page: Page, data: bytes, number: int, height: int) -> NDArray[Any]:
    """The first rows of one strip or tile, (rows, columns, samples)."""
    offset, count = int(page.offsets[number]), int(page.counts[number])
    stream = np.frombuffer(data, np.uint8, count, offset)
    needed = page.room if page.tiled else height * page.row_bytes  # tiles are whole, whatever the page shows of them
    try:
        if page.reversed_bits:
            stream = _REVERSED[stream]
        body = _codecs.decompress(page.compression, stream, page.room)
        if len(body) < needed:
            raise UnreadableMaskError("it does not hold as many pixels as the header says")
        return _samples(body[:height * page.row_bytes].reshape(height, page.row_bytes), page)
    except UnreadableMaskError as error:
        codec = _codecs.CODECS[page.compression]
        raise UnreadableMaskError(f"the {page.name} at byte {offset:,} cannot be decoded{codec and f' as {codec}'} ({error})") from error


def _samples(rows: NDArray[np.uint8], page: Page) -> NDArray[Any]:
    """Rows of bytes as samples, the predictor undone; (rows, columns, samples)."""
    samples = page.samples // page.planes
    shape = len(rows), page.columns, samples
    if page.predictor != _NO_PREDICTOR and page.compression in _WITHOUT_PREDICTOR:
        raise UnreadableMaskError(f"predictor {page.predictor} does not go with its compression: some readers undo it, and some do not")
    if page.predictor == _FLOATING and page.dtype.kind == "f":
        return _from_byte_planes(rows, samples, page.dtype.itemsize).reshape(shape)
    if page.predictor not in (_NO_PREDICTOR, _HORIZONTAL):
        raise UnreadableMaskError(f"predictor {page.predictor} is not one that labelguard reads")
    if page.bits != 8 * page.dtype.itemsize or page.dtype.kind == "b":
        if page.predictor != _NO_PREDICTOR:
            raise UnreadableMaskError(f"there is no predictor for samples of {page.bits} bits")
        return _unpacked(rows, page.bits, page.columns * samples).reshape(shape).astype(page.dtype, copy=False)
    if page.predictor == _NO_PREDICTOR:
        return rows.view(page.dtype.newbyteorder(page.order)).reshape(shape)
    steps = rows.view(f"{page.order}u{page.dtype.itemsize}").reshape(shape)
    return np.cumsum(steps, axis=1, dtype=f"u{page.dtype.itemsize}").view(page.dtype)


def _from_byte_planes(rows: NDArray[np.uint8], samples: int, size: int) -> NDArray[Any]:
    """Undo the floating-point predictor (Adobe Photoshop TIFF technical note 3): bytes of equal weight stand together, the highest
    first, as differences."""
    height = len(rows)
    planes = np.cumsum(rows.reshape(height, -1, samples), axis=1, dtype=np.uint8).reshape(height, size, -1)
    return np.ascontiguousarray(planes.transpose(0, 2, 1)).view(f">f{size}")


def _unpacked(rows: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.unsignedinteger]:
    """Samples of fewer bits than a byte or two, packed with the first in the high bits."""
    if bits in (1, 2, 4):
        from labelguard.kernels.png_tally import unpack
        return unpack(rows, count, bits)
    out = np.empty((len(rows), count), np.uint16)
    step = max(1, _BAND_BITS // (16 * count))
    for top in range(0, len(rows), step):
        band = np.unpackbits(rows[top:top + step], axis=1, count=count * bits).reshape(-1, count, bits)
        spread = np.zeros((len(band), count, 16), np.uint8)
        spread[:, :, 16 - bits:] = band
        out[top:top + step] = np.packbits(spread, axis=2).view(">u2")[:, :, 0]
    return out

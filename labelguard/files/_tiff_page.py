"""What the tags of a TIFF page say together: TIFF 6.0, and the tags of its supplements that label files use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels
from labelguard.files._ifd import Directory
from labelguard.files.limits import check_size

WHITE_IS_ZERO, RGB, PALETTE, YCBCR = 0, 2, 3, 6

_ALPHA = (1, 2)
_UNSIGNED, _SIGNED, _FLOAT, _COMPLEX = 1, 2, 3, (5, 6)
_NO_NUMBERS = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Page:
    """A page whose tags fit together.

    Parameters
    ----------
    height, width, depth, samples
        Pixels of a plane, planes in depth, samples of a pixel.
    bits, dtype
        Bits of a stored sample, and its type in native byte order: bool for 1 bit.
    order
        ``"<"`` or ``">"``, the byte order of stored samples.
    compression, predictor, photometric
        The values of these tags.
    separate
        Whether each sample has a plane of its own.
    reversed_bits
        Whether the bits of each byte are stored the other way around.
    tiled, rows, columns, planes_deep
        Whether the page is in tiles; the size of one in pixels, or of a strip, and how many planes in depth it holds.
    offsets, counts
        Where strips or tiles lie, and how many bytes they have; int64.
    channels
        What a pixel holds.
    """

    height: int
    width: int
    depth: int
    samples: int
    bits: int
    dtype: np.dtype[Any]
    order: Literal["<", ">"]
    compression: int
    predictor: int
    photometric: int
    separate: bool
    reversed_bits: bool
    tiled: bool
    rows: int
    columns: int
    planes_deep: int
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    channels: Channels

    @property
    def name(self) -> str:
        """What its pieces are called."""
        return "tile" if self.tiled else "strip"

    @property
    def grid(self) -> tuple[int, int, int]:
        """How many strips or tiles a plane of samples has: in depth, down and across."""
        return -(-self.depth // self.planes_deep), -(-self.height // self.rows), -(-self.width // self.columns)

    @property
    def planes(self) -> int:
        """How many planes of samples are stored one after the other."""
        return self.samples if self.separate else 1

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of a strip or tile, decompressed."""
        return (self.columns * self.samples // self.planes * self.bits + 7) // 8

    @property
    def room(self) -> int:
        """Bytes of a strip or tile, decompressed."""
        return self.planes_deep * self.rows * self.row_bytes

    @property
    def bytes(self) -> int:
        """Bytes of all planes in depth, uncompressed."""
        return self.depth * self.height * self.planes * ((self.width * self.samples // self.planes * self.bits + 7) // 8)


def page_of(directory: Directory) -> Page:
    """Put the tags of the first page together.

    Raises
    ------
    UnreadableMaskError
        When they contradict each other, the samples are not numbers of one type, or the size is beyond the limit.
    """
    tags = directory.tags

    def single(code: int, default: int) -> int:
        return tags.get(code, (default,))[0]

    height, width, depth, samples = single(257, 0), single(256, 0), single(32997, 1), single(277, 1)
    bits, dtype = _sample_type(tags)
    check_size((height, width, samples), dtype.itemsize)
    check_size((depth, 1), 1)
    tiled = 322 in tags or 323 in tags
    rows, columns = (single(323, 0), single(322, 0)) if tiled else (min(single(278, height), height), width)
    planes_deep = single(32998, 1) if tiled else 1
    if min(rows, columns, planes_deep) < 1:
        raise UnreadableMaskError(f"claims {'tiles' if tiled else 'strips'} of {rows} x {columns} pixels: without pixels")
    offsets, counts = (directory.lists.get(code, _NO_NUMBERS) for code in ((324, 325) if tiled else (273, 279)))
    photometric, compression = single(262, WHITE_IS_ZERO), single(259, 1)  # Pillow takes it so where nothing is said
    return Page(height, width, depth, samples, bits, dtype, directory.order, compression, single(317, 1), photometric,
                single(284, 1) == 2 and samples > 1, single(266, 1) == 2, tiled, rows, columns, planes_deep,
                _signed(offsets), _signed(counts), _channels(samples, photometric, tags.get(338, ())))


def _signed(places: NDArray[np.uint64]) -> NDArray[np.int64]:
    """As int64; what lies beyond any file stays beyond it."""
    return np.minimum(places, np.uint64(1 << 61)).astype(np.int64)


def _sample_type(tags: dict[int, tuple[int, ...]]) -> tuple[int, np.dtype[Any]]:
    """The bits of a sample, and its type."""
    all_bits, all_kinds = tags.get(258, (1,)), tags.get(339, (_UNSIGNED,))
    if set(all_kinds) & set(_COMPLEX):
        raise UnreadableMaskError("holds complex numbers, which are not labels")
    bits, kind = all_bits[0], all_kinds[0]
    if len({*all_bits}) == len({*all_kinds}) == 1:
        if kind == _UNSIGNED and 1 <= bits <= 16:
            return bits, np.dtype(np.bool_ if bits == 1 else np.uint8 if bits <= 8 else np.uint16)
        if (kind == _UNSIGNED and bits in (32, 64)) or (kind == _SIGNED and bits in (8, 16, 32, 64)) or \
                (kind == _FLOAT and bits in (16, 32, 64)):
            return bits, np.dtype(f"{'uif'[kind - 1]}{bits // 8}")
    raise UnreadableMaskError(f"claims samples of {_either(all_bits)} bits in sample format {_either(all_kinds)}; "
                         "one whole or floating type for all is needed")


def _either(numbers: tuple[int, ...]) -> str:
    return " and ".join(str(number) for number in sorted(set(numbers))[:8])


def _channels(samples: int, photometric: int, extra: tuple[int, ...]) -> Channels:
    alpha = len(extra) == 1 and extra[0] in _ALPHA
    if samples == 1:
        return "palette" if photometric == PALETTE else "grey"
    if photometric in (RGB, YCBCR):
        return "rgb" if samples == 3 else "rgba" if samples == 4 and alpha else "other"
    return "grey-alpha" if photometric in (0, 1) and samples == 2 and alpha else "other"

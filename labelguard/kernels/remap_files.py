"""Remap files: many mask files read and tallied, their labels moved by a table, and filtered as PNG wants them, in one call.

As in `kernels.tally_files`, whatever is unusual about a file is left to who looks at it alone: a label that the table refuses, too. Nothing
is written; what is compressed and written is made of this by `labelguard.files`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native
from labelguard.kernels.tally import RECORD
from labelguard.kernels.tally_files import COLOR_BYTES, path_texts, tools

_HEAD = 9
_ROOM, _MORE = RECORD * 256, RECORD << 16  # numbers for each file of 8 bits, and for one of 16
_MOST_BYTES = 1 << 24


class RemappedFile(NamedTuple):
    """What becomes of a file.

    Parameters
    ----------
    height, width, bits, palette, records
        Of the file as it is, as in `kernels.tally_files`.
    content
        The whole file, 1-D uint8.
    rows
        1-D uint8, the new labels as `kernels.filter_up` gives them.
    """

    height: int
    width: int
    bits: int
    palette: bytes | None
    records: NDArray[np.int64]
    content: NDArray[np.uint8]
    rows: NDArray[np.uint8]


def remap_files(paths: Sequence[str], most_bytes: int,
                tables: Mapping[int, tuple[NDArray[np.int32], np.dtype[np.integer]]]) -> list[RemappedFile | None]:
    """Move the labels of mask files, grey or palette PNG of 8 or 16 bits.

    Parameters
    ----------
    paths
        Where they lie.
    most_bytes
        What may be allocated for one of them, or for all that is given back.
    tables
        For labels of 8 and of 16 bits, where such files are to be taken: the new label for each, or `kernels.gather.REFUSED`, and the
        type that holds them, uint8 or uint16.

    Returns
    -------
    list
        Of the first paths, one at least, for which there is room; None for each file that has to be looked at alone.

    Raises
    ------
    IndexError
        When a table has not an entry for each label, or one that its type does not hold.
    """
    texts = path_texts(paths)
    if texts is None:
        return [None] * len(paths)
    of_bits = [_checked(tables[bits], bits) if bits in tables else None for bits in (8, 16)]
    heads, palettes = np.empty((len(paths), _HEAD), np.int64), np.empty((len(paths), COLOR_BYTES), np.uint8)
    numbers, room = np.empty(_ROOM * len(paths) + _MORE, np.int64), np.empty(min(most_bytes // 2, _MOST_BYTES), np.uint8)
    given = [(table[0].ctypes.data, table[1].itemsize) if table is not None else (None, 1) for table in of_bits]
    count = native.checked(native.library.lg_remap_files(
        tools(most_bytes), texts, len(texts), len(paths), *given[0], *given[1], heads.ctypes.data, palettes.ctypes.data,
        numbers.ctypes.data, numbers.size, room.ctypes.data, room.size))
    found: list[RemappedFile | None] = []
    for (ids, height, width, bits, colors, start, at, size, rows), palette in zip(heads[:count].tolist(), palettes[:count], strict=True):
        if ids < 0:
            found.append(None)
            continue
        pixel = given[bits == 16][1]
        found.append(RemappedFile(height, width, bits, palette[:colors].tobytes() if colors else None,
                                  numbers[start:start + RECORD * ids].reshape(ids, RECORD), room[at:at + size],
                                  room[rows:rows + height * (1 + pixel * width)]))
    return found


def _checked(table: tuple[NDArray[np.int32], np.dtype[np.integer]], bits: int) -> tuple[NDArray[np.int32], np.dtype[np.integer]]:
    targets, dtype = table
    if dtype not in (np.uint8, np.uint16) or targets.shape != (1 << bits,) or targets.dtype != np.int32 or not targets.flags.c_contiguous \
            or int(targets.max()) > np.iinfo(dtype).max:
        raise IndexError(f"a table of {targets.shape} {targets.dtype} does not move labels of {bits} bits to {dtype}")
    return table

"""Tally files: the facts of many mask files in one call, from opening them to their label runs, without the interpreter lock.

There is no definition in numpy: the road of `labelguard.files`, file by file, says what is right. Whatever is unusual about a file is left
to that road: another format, several channels, interlacing, damage, a size beyond what is small, a file that is no regular one.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native
from labelguard.kernels.label_runs import TOTALS
from labelguard.kernels.stream_tally import LIBDEFLATE
from labelguard.kernels.tally import RECORD

TAKES_FILES = bool(LIBDEFLATE) and os.name == "posix"  # where paths are bytes

COLOR_BYTES = 768
"""Of the largest palette."""

_HEAD = 6
_ROOM = (RECORD + 2) * 256 + TOTALS + 64  # numbers for each file, which is enough for any of 8 bits,
_MORE = (RECORD + 2) << 16                # and for one of 16; memory is only taken for those that are used


class FileTally(NamedTuple):
    """What there is to say of a file.

    Parameters
    ----------
    height, width, bits
        Of the image, and of one sample.
    palette
        The colors of a palette file; None for one of grey levels.
    records, numbers
        As of `kernels.tally` and of `kernels.label_runs`, read-only; the latter empty where they are not wanted.
    eroded
        For each id whose shape is wanted the pixels that survive erosion; without meaning for one that is not there.
    """

    height: int
    width: int
    bits: int
    palette: bytes | None
    records: NDArray[np.int64]
    numbers: NDArray[np.int64]
    eroded: NDArray[np.int64]


def tally_files(paths: Sequence[str], most_bytes: int, with_label_runs: bool, eroded: Sequence[int] = ()) -> list[FileTally | None]:
    """Look at mask files, grey or palette PNG of 1 to 16 bits.

    Parameters
    ----------
    paths
        Where they lie.
    most_bytes
        What may be allocated for one of them.
    with_label_runs
        Whether anybody wants the numbers of `kernels.label_runs`.
    eroded
        Ids of which it is wanted how many pixels survive erosion, as `labelguard.files.mask` erodes; at most 64.

    Returns
    -------
    list
        None for each file that has to be looked at alone.
    """
    texts = path_texts(paths)
    if texts is None:
        return [None] * len(paths)
    heads, palettes = np.empty((len(paths), _HEAD), np.int64), np.empty((len(paths), COLOR_BYTES), np.uint8)
    numbers, wanted = np.empty(_ROOM * len(paths) + _MORE, np.int64), np.array(eroded, np.int64)
    used = native.checked(native.library.lg_tally_files(
        tools(most_bytes), texts, len(texts), len(paths), with_label_runs, wanted.ctypes.data, wanted.size, heads.ctypes.data,
        palettes.ctypes.data, numbers.ctypes.data, numbers.size))
    return _tallies(heads, palettes, numbers[:used], with_label_runs, wanted.size)


def tally_contents(contents: Sequence[bytes], most_bytes: int) -> list[FileTally | None]:
    """The same for files whose content is there, without the numbers of label runs."""
    if not TAKES_FILES:
        return [None] * len(contents)
    heads, palettes = np.empty((len(contents), _HEAD), np.int64), np.empty((len(contents), COLOR_BYTES), np.uint8)
    numbers, ends = np.empty(_ROOM * len(contents) + _MORE, np.int64), np.cumsum([len(content) for content in contents], dtype=np.int64)
    used = native.checked(native.library.lg_tally_contents(
        tools(most_bytes), b"".join(contents), ends.ctypes.data, len(contents), heads.ctypes.data, palettes.ctypes.data,
        numbers.ctypes.data, numbers.size))
    return _tallies(heads, palettes, numbers[:used], False, 0)


def path_texts(paths: Sequence[str]) -> bytes | None:
    """The paths as the library takes them; None where it takes none of them."""
    named = [os.fsencode(path) for path in paths]
    return b"\0".join([*named, b""]) if TAKES_FILES and not any(b"\0" in path for path in named) else None


def tools(most_bytes: int) -> Any:
    """Libdeflate's functions and a limit, as `struct mask_tools` in `kernels.h`: six words."""
    return (ctypes.c_size_t * 6)(*(function.value for function in LIBDEFLATE), most_bytes)


def _tallies(heads: NDArray[np.int64], palettes: NDArray[np.uint8], numbers: NDArray[np.int64], with_label_runs: bool,
             eroded: int) -> list[FileTally | None]:
    numbers = numbers.copy()
    numbers.flags.writeable = False
    found: list[FileTally | None] = []
    for (ids, height, width, bits, colors, start), palette in zip(heads.tolist(), palettes, strict=True):
        if ids < 0:
            found.append(None)
            continue
        runs = start + RECORD * ids
        end = runs + (TOTALS + 2 * ids if with_label_runs else 0)
        found.append(FileTally(height, width, bits, palette[:colors].tobytes() if colors else None,
                               numbers[start:runs].reshape(ids, RECORD), numbers[runs:end], numbers[end:end + eroded]))
    return found

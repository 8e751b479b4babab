"""Stream tally: the facts of a PNG from its compressed pixel stream, in one call of compiled code.

To inflate and to tally in two calls is to ask for the interpreter lock in between, and where threads share the work, each such request
may find it taken: on small masks the waiting costs more than the inflating. The compiled twin therefore calls libdeflate's C functions
(https://github.com/ebiggers/libdeflate, `libdeflate.h`) in the library that the package `deflate` brings. Where that library does not
show them, `READY` is false, and the two calls are made.
"""

from __future__ import annotations

import ctypes
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import label_runs, native, png_tally

_NOTHING = np.empty((0, 9), np.int64), np.empty(0, np.int64)
_NAMES = ("libdeflate_alloc_decompressor", "libdeflate_deflate_decompress_ex", "libdeflate_free_decompressor", "libdeflate_adler32",
          "libdeflate_crc32")


def definition(idat: NDArray[np.uint8], height: int, width: int, bits: int, image: NDArray[np.unsignedinteger],
               with_label_runs: bool) -> tuple[bool, NDArray[np.int64], NDArray[np.int64]]:
    """Inflate with zlib, then tally.

    Parameters
    ----------
    idat
        1-D uint8, the compressed stream of one sample a pixel.
    height, width, bits, image, with_label_runs
        As for `kernels.png_tally`.

    Returns
    -------
    whole, records, numbers
        Whether the stream is sound and of the right length, and names only filters that exist; as of `kernels.png_tally`, where it is.
    """
    row_bytes = (width * bits + 7) // 8
    inflating = zlib.decompressobj()
    try:
        raw = np.frombuffer(inflating.decompress(idat.tobytes(), height * (row_bytes + 1) + 1), np.uint8)
    except zlib.error:
        return False, *_NOTHING
    if not inflating.eof or raw.size != height * (row_bytes + 1) or raw[::row_bytes + 1].max() > 4:
        return False, *_NOTHING
    return True, *png_tally.definition(raw, height, width, bits, image, with_label_runs)


def _functions() -> tuple[Any, ...]:
    """libdeflate's functions that make, use and free a decompressor, and the checksums of zlib and PNG; none where they are not found."""
    if not native.COMPILED:
        return ()
    try:
        from deflate import _deflate
        shown = ctypes.CDLL(_deflate.__file__)
        return tuple(ctypes.cast(getattr(shown, name), ctypes.c_void_p) for name in _NAMES)
    except (ImportError, AttributeError, OSError, TypeError):
        return ()


LIBDEFLATE = _functions()
"""Its functions that make, use and free a decompressor, and those of the checksums in zlib and PNG; empty where they cannot be found."""

READY = bool(LIBDEFLATE)


def _inflater() -> Any:
    """What `struct inflater` in `kernels.h` holds."""
    return (ctypes.c_void_p * 4)(*(function.value for function in LIBDEFLATE[:4]))


@native.twin(definition)
def stream_tally(idat: NDArray[np.uint8], height: int, width: int, bits: int, image: NDArray[np.unsignedinteger],
                 with_label_runs: bool) -> tuple[bool, NDArray[np.int64], NDArray[np.int64]]:
    idat = native.as_bytes(idat)
    room = label_runs.Room(1 << bits, with_label_runs)
    count = native.library.lg_stream_tally(_inflater(), idat.ctypes.data, idat.size, height, width, bits,
                                           png_tally.target(image, height, width, bits), *room.addresses)
    if count == native.DAMAGED:
        return False, *_NOTHING
    return True, *room.used(count)

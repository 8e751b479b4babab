"""Stream tally: the facts of a PNG from its compressed pixel stream, in one call of compiled code.

To inflate and to tally in two calls is to ask for the interpreter lock in between, and where threads share the work, each such request
may find it taken: on small masks the waiting costs more than the inflating. The compiled twin therefore calls libdeflate's C functions
(https://github.com/ebiggers/libdeflate, `libdeflate.h`) in the library that the package `deflate` brings. Where that library does not
show them, `READY` is false, and the two calls are made.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit, png_tally

_ALLOCATE, _INFLATE, _FREE = "libdeflate_alloc_decompressor", "libdeflate_zlib_decompress", "libdeflate_free_decompressor"


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
    nothing = np.empty((0, 9), np.int64), np.empty(0, np.int64)
    row_bytes = (width * bits + 7) // 8
    inflating = zlib.decompressobj()
    try:
        raw = np.frombuffer(inflating.decompress(idat.tobytes(), height * (row_bytes + 1) + 1), np.uint8)
    except zlib.error:
        return False, *nothing
    if not inflating.eof or raw.size != height * (row_bytes + 1) or raw[::row_bytes + 1].max() > 4:
        return False, *nothing
    return True, *png_tally.definition(raw, height, width, bits, image, with_label_runs)


def _symbols() -> bool:
    """Let compiled code find the C functions; whether it can."""
    if not jit.COMPILED:
        return False
    try:
        from deflate import _deflate
        from llvmlite import binding
        binding.load_library_permanently(_deflate.__file__)
        return all(binding.address_of_symbol(name) for name in (_ALLOCATE, _INFLATE, _FREE))
    except (ImportError, RuntimeError, TypeError):
        return False


READY = _symbols()

if READY:
    from numba import types as _types
    _function: Any = _types.ExternalFunction
    _pointer, _bytes, _size = _types.voidptr, _types.CPointer(_types.uint8), _types.uintp
    _allocate = _function(_ALLOCATE, _pointer())
    _free = _function(_FREE, _types.void(_pointer))
    _inflate = _function(_INFLATE, _types.int32(_pointer, _bytes, _size, _bytes, _size, _types.CPointer(_size)))

    @jit.maker
    def _inflated(idat, size):
        """The inflated stream; empty where it is not sound or not of this size."""
        raw, written = np.empty(size, np.uint8), np.zeros(1, np.uintp)
        decompressor = _allocate()
        failed = _inflate(decompressor, idat.ctypes, np.uintp(idat.size), raw.ctypes, np.uintp(size), written.ctypes)
        _free(decompressor)
        return raw if failed == 0 and written[0] == size else raw[:0]


@jit.twin(definition)
def stream_tally(idat, height, width, bits, image, with_label_runs):
    row_bytes = (width * bits + 7) // 8
    raw = _inflated(idat, height * (row_bytes + 1))
    highest = 0
    for start in range(0, raw.size, row_bytes + 1):
        highest = max(highest, raw[start])
    if raw.size == 0 or highest > 4:
        return False, np.empty((0, 9), np.int64), np.empty(0, np.int64)
    records, numbers = png_tally.png_tally(raw, height, width, bits, image, with_label_runs)
    return True, records, numbers

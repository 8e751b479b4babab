"""PackBits (TIFF 6.0, section 9): a length, then as many bytes as they are, or one byte to repeat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native
from labelguard.kernels.lzw import TOO_LONG

CUT = -2

_NOTHING = 128


def definition(stream: NDArray[np.uint8], out: NDArray[np.uint8]) -> int:
    """Undo PackBits in plain Python: `stream` to `out`, as `labelguard.kernels.lzw.definition` does; `CUT` where it ends within a run."""
    at = written = 0
    while at < len(stream):
        head = int(stream[at])
        at += 1
        if head == _NOTHING:
            continue
        count, stored = (head + 1, head + 1) if head < _NOTHING else (257 - head, 1)
        if at + stored > len(stream):
            return CUT
        if written + count > len(out):
            return TOO_LONG
        out[written:written + count] = stream[at:at + stored]
        at += stored
        written += count
    return written


@native.twin(definition)
def packbits(stream: NDArray[np.uint8], out: NDArray[np.uint8]) -> int:
    stream = native.as_bytes(stream)
    return int(native.library.lg_packbits(stream.ctypes.data, stream.size, out.ctypes.data, out.size))

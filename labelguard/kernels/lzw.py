"""LZW as TIFF has it (TIFF 6.0, section 13): codes of 9 to 12 bits, high bits first, each width left one code early.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import native

TOO_LONG, BAD_CODE = -1, -2

_CLEAR, _END, _CODES = 256, 257, 4096


def definition(stream: NDArray[np.uint8], out: NDArray[np.uint8]) -> int:
    """Undo LZW in plain Python.

    Parameters
    ----------
    stream
        1-D uint8, one strip or tile.
    out
        1-D uint8, written to from its beginning.

    Returns
    -------
    int
        How many bytes were written, up to the end code or the end of the stream. `BAD_CODE` where a code stands for nothing,
        `TOO_LONG` where `out` is too short.
    """
    bits = "".join(f"{byte:08b}" for byte in stream.tolist())
    fresh = [bytes((code,)) for code in range(256)] + [b"", b""]
    table, previous, at, written = list(fresh), b"", 0, 0
    while True:
        width = max(9, (len(table) + 1).bit_length()) if len(table) < _CODES - 1 else 12
        if at + width > len(bits):
            return written
        code = int(bits[at:at + width], 2)
        at += width
        if code == _END:
            return written
        if code == _CLEAR:
            table, previous = list(fresh), b""
            continue
        if code > len(table) or (code == len(table) and not previous) or (code >= _CLEAR and not previous):
            return BAD_CODE
        entry = table[code] if code < len(table) else previous + previous[:1]
        if previous and len(table) < _CODES:
            table.append(previous + entry[:1])
        if written + len(entry) > len(out):
            return TOO_LONG
        out[written:written + len(entry)] = np.frombuffer(entry, np.uint8)
        written += len(entry)
        previous = entry


@native.twin(definition)
def lzw(stream: NDArray[np.uint8], out: NDArray[np.uint8]) -> int:
    stream = native.as_bytes(stream)
    return int(native.library.lg_lzw(stream.ctypes.data, stream.size, out.ctypes.data, out.size))

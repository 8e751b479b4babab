"""LZW as TIFF has it (TIFF 6.0, section 13): codes of 9 to 12 bits, high bits first, each width left one code early.

Every string of the table stands in the output already: it is an earlier string and the byte that followed it there. So the compiled twin
keeps no strings, only where each begins and how long it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels import jit

TOO_LONG, DAMAGED = -1, -2

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
        How many bytes were written, up to the end code or the end of the stream. `DAMAGED` where a code stands for nothing,
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
            return DAMAGED
        entry = table[code] if code < len(table) else previous + previous[:1]
        if previous and len(table) < _CODES:
            table.append(previous + entry[:1])
        if written + len(entry) > len(out):
            return TOO_LONG
        out[written:written + len(entry)] = np.frombuffer(entry, np.uint8)
        written += len(entry)
        previous = entry


@jit.twin(definition)
def lzw(stream, out):
    """Undo LZW; see `definition`."""
    begins, lengths = np.zeros(_CODES, np.int64), np.zeros(_CODES, np.int64)
    held, bits, width, at, written = 0, 0, 9, 0, 0
    following, begin, length = _END + 1, 0, 0  # the next free code; the string before, of no length after a clear code
    while True:
        while bits < width:
            if at == len(stream):
                return written
            held = (held << 8 | int(stream[at])) & 0xFFFFFF
            bits += 8
            at += 1
        code = held >> (bits - width) & ((1 << width) - 1)
        bits -= width
        if code == _END:
            return written
        if code == _CLEAR:
            following, width, length = _END + 1, 9, 0
            continue
        if code > following or (code >= _CLEAR and length == 0):
            return DAMAGED
        # The code that is only now being given stands for the string before and the byte after it, which is that string's first.
        source, count = begin, length + 1
        if code < _CLEAR:
            source, count = written, 1
        elif code < following:
            source, count = begins[code], lengths[code]
        if written + count > len(out):
            return TOO_LONG
        if code < _CLEAR:
            out[written] = code
        else:
            for step in range(count):
                out[written + step] = out[source + step]
        if length > 0 and following < _CODES:
            begins[following], lengths[following] = begin, length + 1
            following += 1
            width = 9 if following < 511 else 10 if following < 1023 else 11 if following < 2047 else 12
        begin, length = written, count
        written += count

"""The compressions of TIFF strips and tiles: those that label files use are undone here, exactly; others are named.

Nothing here writes beyond the room that the page has for a strip, whatever the stream says.
"""

from __future__ import annotations

import lzma
import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.files import _foreign

_deflate: Any
try:
    from zlib_ng import zlib_ng as _deflate
except ImportError:  # the same, slower
    _deflate = zlib

_MAX_WINDOW_BITS = 27  # of ZSTD and LZMA: 128 MiB, more than the highest levels of both ask for
_Stream = NDArray[np.uint8]


def decompress(compression: int, stream: _Stream, room: int) -> _Stream:
    """Undo the compression of a strip or tile.

    Parameters
    ----------
    compression
        A number of TIFF's Compression tag that `CODECS` has.
    stream
        1-D uint8, the bytes of the strip or tile.
    room
        How many bytes it may hold.

    Returns
    -------
    ndarray
        1-D uint8, at most `room`.

    Raises
    ------
    UnreadableMaskError
        When the stream is damaged or holds more, or a package is missing that undoes it.
    """
    if compression == 1:
        return stream[:room]
    return _DECODERS[compression](stream, room)


def _too_long(room: int) -> UnreadableMaskError:
    return UnreadableMaskError(f"it goes on after the {room:,} bytes that the header has room for")


def _lzw(stream: _Stream, room: int) -> _Stream:
    from labelguard.kernels import lzw
    if stream[:2].tobytes() == b"\0\1":  # libtiff takes these for codes whose low bits come first, as it wrote them before 1989
        raise UnreadableMaskError("it is LZW from before TIFF 5.0")
    return _with_room(lzw.lzw, stream, room, {lzw.BAD_CODE: "a code stands for nothing"})


def _packbits(stream: _Stream, room: int) -> _Stream:
    from labelguard.kernels import packbits
    return _with_room(packbits.packbits, stream, room, {packbits.CUT: "it ends within a run"})


def _with_room(kernel: Callable[..., int], stream: _Stream, room: int, faults: dict[int, str]) -> _Stream:
    out = np.empty(room, np.uint8)
    count = int(kernel(stream, out))
    if count < 0:
        raise UnreadableMaskError(faults[count]) if count in faults else _too_long(room)
    return out[:count]


def _inflated(stream: _Stream, room: int) -> _Stream:
    return _bounded(_deflate.decompressobj(), stream, room)


def _lzma(stream: _Stream, room: int) -> _Stream:
    return _bounded(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << _MAX_WINDOW_BITS), stream, room)


def _zstd(stream: _Stream, room: int) -> _Stream:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise UnreadableMaskError("the package backports.zstd, which undoes it, is not installed: pip install backports.zstd") from None
    return _bounded(zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _MAX_WINDOW_BITS}), stream, room)


def _bounded(decoder: Any, stream: _Stream, room: int) -> _Stream:
    """What a decoder with a limit makes of a stream that must come to its end within its room."""
    try:
        body = decoder.decompress(stream, room + 1)
    except (lzma.LZMAError, _deflate.error, ValueError) as error:
        raise UnreadableMaskError(" ".join(str(error).split())[:160]) from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # of a module that may not be there
            raise
        raise UnreadableMaskError(" ".join(str(error).split())[:160]) from error
    if len(body) > room:
        raise _too_long(room)
    if not decoder.eof:
        raise UnreadableMaskError("its stream has no end")
    return np.frombuffer(body, np.uint8)


_DECODERS: dict[int, Callable[[_Stream, int], _Stream]] = {
    5: _lzw, 8: _inflated, 32946: _inflated, 32773: _packbits, 34925: _lzma, 34926: _zstd, 50000: _zstd}

CODECS = {1: "", 5: "LZW", 8: "DEFLATE", 32946: "DEFLATE", 32773: "PackBits", 34925: "LZMA", 34926: "ZSTD", 50000: "ZSTD",
          **_foreign.FOREIGN_CODECS}
"""What the numbers of the Compression tag stand for."""

"""NPY: numpy's own arrays, never pickled ones.

The header is matched, not evaluated: format at https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels, Storage
from labelguard.files._boundary import ends_early, in_words
from labelguard.files.limits import check_size
from labelguard.files.memory import take

NAME = "npy"
SUFFIXES = (".npy",)

_MAGIC = b"\x93NUMPY"
_MOST_CHANNELS = 1 << 12
_MAX_HEADER = 10_000  # numpy's own limit

_ENTRY = re.compile(r"""\s* (?: '(\w+)' | "(\w+)" ) \s*:\s*
                        ( '[^'"]*' | "[^'"]*" | \[ | True | False | \( (?: \s* \d+ L? \s* ,)* (?: \s* \d+ L? )? \s* \) ) \s*""",
                    re.ASCII | re.VERBOSE)
_VALUES = {"descr": "'\"[", "fortran_order": "TF", "shape": "("}  # how they begin
_NUMBER = re.compile(r"[<>|=]?(?:b1|[iu][1248]|f[248])")
_NOT_NUMBERS = {"O": "Python objects (a pickle), which are never loaded", "c": "complex numbers", "U": "text", "S": "text",
           "a": "text", "M": "dates", "m": "time spans", "V": "raw bytes without a number type"}
_CHANNELS: dict[int, Channels] = {3: "rgb", 4: "rgba"}


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of an NPY file."""
    return head.startswith(_MAGIC)


def decode(data: bytes) -> tuple[NDArray[Any], Storage]:
    """Read an NPY file.

    An axis of length one counts as no axis: (H, W, 1) is read as (H, W), and so is (1, H, W), a stack of one mask, unless
    its last axis is short enough (at most 4) to be channels.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        (H, W) or (H, W, C), the stored values in native byte order; where they are stored so, a view of `data`, in their order.
    stored
        How they lay on disk; three channels are called rgb, four rgba, other numbers other.

    Raises
    ------
    UnreadableMaskError
        When the header is damaged, the elements are not numbers, the length is not exactly the announced one, or there are
        fewer than two axes or more than three.
    """
    with in_words("the NPY header's entries"):
        dtype, fortran, shape, start = _header(data)
    if len(shape) not in (2, 3):
        raise UnreadableMaskError(f"holds an array of shape {shape}; a mask has two axes, or three with channels")
    if len(shape) == 3 and shape[2] > _MOST_CHANNELS and shape[0] > 1:
        raise UnreadableMaskError(f"holds {shape[2]:,} channels in each pixel; {_MOST_CHANNELS:,} are the most that are looked at")
    size = check_size(shape, dtype.itemsize)
    if len(data) < start + size:
        raise ends_early(start + size - len(data))
    if len(data) > start + size:
        raise UnreadableMaskError(f"goes on {len(data) - start - size:,} bytes beyond the array of its header")
    with in_words("the NPY array's values"):
        if dtype.kind == "b" and np.frombuffer(data, np.uint8, offset=start).max() > 1:
            raise UnreadableMaskError("claims truth values, but holds bytes other than 0 and 1")
        array = np.frombuffer(data, dtype, offset=start).reshape(shape, order="F" if fortran else "C")
        if not dtype.isnative:
            take(size)
            array = array.astype(dtype.newbyteorder("="))
    if array.ndim == 3 and shape[2] == 1:
        array = array[:, :, 0]
    elif array.ndim == 3 and shape[0] == 1 and shape[2] > 4:
        array = array[0]
    channels = "grey" if array.ndim == 2 else _CHANNELS.get(array.shape[2], "other")
    return array, Storage(NAME, channels, 1 if dtype.kind == "b" else 8 * dtype.itemsize, dtype.kind)


def shape_of(data: bytes) -> tuple[int, int]:
    """(H, W) from the header, for an array that `decode` takes.

    Raises
    ------
    UnreadableMaskError
        When the header is damaged, or there are fewer than two axes or more than three.
    """
    _, _, shape, _ = _header(data)
    if len(shape) not in (2, 3):
        raise UnreadableMaskError(f"holds an array of shape {shape}; an image has two axes, or three with channels")
    return (shape[1], shape[2]) if len(shape) == 3 and shape[0] == 1 and shape[2] > 4 else (shape[0], shape[1])


def _header(data: bytes) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    """Element type, whether the first axis runs fastest, shape, and where the values begin."""
    wide = 2 if data[6:7] == b"\x01" else 4
    if data[6:8] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00") and len(data) >= 8:
        raise UnreadableMaskError(f"is of NPY version {data[6]}.{data[7]}, which does not exist")
    start = 8 + wide + int.from_bytes(data[8:8 + wide], "little")
    if len(data) < 8 + wide or len(data) < start:
        raise ends_early(max(8 + wide, start) - len(data))
    if start > _MAX_HEADER:
        raise UnreadableMaskError(f"has a header of {start:,} bytes; numpy itself stops at {_MAX_HEADER:,}")
    text = data[8 + wide:start].decode("utf-8" if data[6] == 3 else "latin-1")
    entries = _entries(text)
    descr = entries["descr"][1:-1]
    if not _NUMBER.fullmatch(descr):
        what = _NOT_NUMBERS.get(descr.lstrip("<>|=")[:1], "elements of a type that cannot hold labels")
        raise UnreadableMaskError(f"holds {what} (dtype {descr!r})")
    shape = tuple(int(side.strip().rstrip("L")) for side in entries["shape"][1:-1].split(",") if side.strip())
    return np.dtype(descr), entries["fortran_order"] == "True", shape, start


def _entries(text: str) -> dict[str, str]:
    """The three entries of a header as they are written; numpy takes the last of several with one name, so that there must be one."""
    entries: dict[str, str] = {}
    rest = text.strip()
    at = 1 if rest.startswith("{") else len(rest)
    while (entry := _ENTRY.match(rest, at)) is not None:
        key, value = entry[1] or entry[2], entry[3]
        if key in entries:
            raise UnreadableMaskError(f"has a header with two entries {key}; some readers take the first, and others the last")
        if value[0] not in _VALUES.get(key, ""):
            break
        if value == "[":
            raise UnreadableMaskError("holds records of several fields, not one number a pixel")
        entries[key] = value
        at = entry.end()
        if rest[at:at + 1] != ",":
            break
        at += 1
    if len(entries) != len(_VALUES) or rest[at:].strip() != "}":
        raise UnreadableMaskError("has a damaged header: it is not made of descr, fortran_order and shape, and nothing else")
    return entries

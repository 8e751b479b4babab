"""The compiled twins: a library in C beside this file, called through ctypes, which gives the interpreter lock away meanwhile.

Each function checks the sizes that it is given and gives a negative number back where it cannot do its work; `checked` makes exceptions
of these. Arrays are handed over as addresses: whoever calls sees to their types and that their rows lie one behind the other.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_ABI = 4  # as in `kernels.h`: a library of another number takes other arguments
_NAME, _SUFFIXES = "_native", (".so", ".dylib", ".dll", ".pyd")
_NO_MEMORY = -1
DAMAGED = -3

_NoBytes = ctypes.c_char * 0
_int, _long, _size, _at = ctypes.c_int, ctypes.c_int64, ctypes.c_size_t, ctypes.c_void_p
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "lg_area_vote": (_int, [_at, _long, _long, _int, _long, _long, _long, _at, _int, _at]),
    "lg_eroded_pixels": (_long, [_at, _long, _long, _long]),
    "lg_filter_up": (_int, [_at, _long, _long, _at]),
    "lg_gather": (_int, [_at, _long, _int, _at, _long, _at, _int]),
    "lg_lzw": (_long, [_at, _size, _at, _size]),
    "lg_narrow": (_int, [_at, _long, _int, _int, _at, _int]),
    "lg_packbits": (_long, [_at, _size, _at, _size]),
    "lg_png_tally": (_long, [_at, _size, _long, _long, _int, _at, _at, _at]),
    "lg_rank": (_long, [_at, _long, _int, _int, _at, _at]),
    "lg_remap_files": (_long, [_at, _at, _size, _long, _at, _int, _at, _int, _at, _at, _at, _long, _at, _long]),
    "lg_stream_tally": (_long, [_at, _at, _size, _long, _long, _int, _at, _at, _at]),
    "lg_tally": (_long, [_at, _long, _long, _int, _long, _at, _at]),
    "lg_tally_contents": (_long, [_at, _at, _at, _long, _at, _at, _at, _long]),
    "lg_tally_files": (_long, [_at, _at, _size, _long, _int, _at, _long, _at, _at, _at, _long]),
    "lg_unfilter": (_int, [_at, _size, _long, _long, _long, _at]),
    "lg_windows_without": (_long, [_at, _long, _long, _int, _at, _long, _long, _long]),
}


def _load() -> Any:
    """The library, its functions declared.

    Raises
    ------
    OSError
        Where there is none, or none that this process can load.
    """
    found = [path for suffix in _SUFFIXES if (path := Path(__file__).with_name(_NAME + suffix)).exists()]
    if not found:
        raise OSError(f"there is no {_NAME} in {Path(__file__).parent}")
    library = ctypes.CDLL(str(found[0]))
    if library.lg_abi() != _ABI:
        raise OSError(f"{found[0]} is of another version")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library: Any
try:
    library = _load()
except (OSError, AttributeError) as problem:  # no library, one for another machine, or one that lacks a function
    library = None
    warnings.warn(f"labelguard's compiled kernels cannot be loaded ({problem}), so its plain numpy kernels do their work: same results, "
                  "many times slower. Install labelguard again where there is a C compiler, or access to PyPI, which has one.",
                  RuntimeWarning, stacklevel=1)

COMPILED = library is not None

F = TypeVar("F", bound=Callable[..., Any])


def twin(definition: Callable[..., Any]) -> Callable[[F], F]:
    """Take what calls the library, or put the plain `definition` in its place where there is none.

    Both take the same arguments and give equal results on every input; the tests hold one against the other.
    """
    return lambda function: function if COMPILED else definition  # type: ignore[return-value]


def as_rows(labels: NDArray[Any]) -> NDArray[Any]:
    """The labels as the library takes them: uint8, uint16 or uint32, one row behind the other.

    Raises
    ------
    TypeError
        When they are of another type.
    """
    if labels.dtype.kind != "u" or labels.itemsize > 4 or not labels.dtype.isnative or labels.ndim != 2:
        raise TypeError(f"kernels take (H, W) labels of uint8, uint16 or uint32, and not {labels.ndim}-D {labels.dtype}")
    return np.ascontiguousarray(labels)


def address(array: NDArray[Any]) -> int:
    """Where a new array begins; `array.ctypes.data`, which also takes arrays that must not be written to, costs four times as much."""
    return ctypes.addressof(_NoBytes.from_buffer(array))  # type: ignore[arg-type]


def as_bytes(stream: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bytes one behind the other."""
    return np.ascontiguousarray(stream, np.uint8)


def checked(result: int) -> int:
    """What a function gave back.

    Raises
    ------
    MemoryError
        When it found no memory.
    IndexError
        When a size or a label is outside of what the arguments allow.
    """
    if result >= 0:
        return result
    if result == _NO_MEMORY:
        raise MemoryError("a kernel found no memory")
    raise IndexError("a size or a label is outside of what the kernel was told")

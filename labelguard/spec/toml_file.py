"""Read a TOML file that anybody may have written, or a folder of somebody else's may hold."""

from __future__ import annotations

import os
from typing import Any

_LARGEST = 1 << 20  # bytes: a table of all ids of 16 bits, one on each line, has less
_MOST_DOTS = 1000  # in a line: each of a dotted key is a level, and tomllib takes memory by the square of their number
_MOST_DOTS_IN_ALL = 10 * _MOST_DOTS


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a TOML file.

    Raises
    ------
    OSError
        When it cannot be opened.
    ValueError
        When it is no file, too large, nested too deeply, or not TOML; the sentence does not name it.
    """
    import tomllib
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError("it is not a file")
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)  # a file that is larger than it says is not read to its end either
    if len(data) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST >> 20} MiB")
    if data.count(b".") > _MOST_DOTS_IN_ALL or any(line.count(b".") > _MOST_DOTS for line in data.split(b"\n")):
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("it is not a text in UTF-8") from None
    except (RecursionError, MemoryError):
        raise ValueError("it is nested too deeply") from None

"""What an entry of a folder is where it is no file that can be read, in words."""

from __future__ import annotations

import stat

from labelguard.text import reason

_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
          (stat.S_ISBLK, "a device"))


def not_a_file(mode: int) -> str:
    """What an entry is that is not a regular file, by its `st_mode`."""
    kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "something else")
    return f"is {kind}, not a file"


def cannot_be_opened(problem: OSError) -> str:
    """Why a file or folder cannot be opened."""
    return f"cannot be opened: {reason(problem)}"

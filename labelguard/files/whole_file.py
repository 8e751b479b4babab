"""A text file outside an output folder that is written whole or not at all: a report, a labelguard.toml."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import mkstemp
from typing import TextIO

from labelguard.errors import IncompleteError
from labelguard.files.output_folder import Identity, identity_of

OWN_PREFIX = ".labelguard-"  # of temporary files, as of the journal and the lock


@contextmanager
def whole_file(place: str, may_be_taken: Callable[[str], bool], folder: Identity | None = None) -> Iterator[TextIO]:
    """A text file that takes its place when it is whole and on the disk.

    Parameters
    ----------
    place
        Its path; a link there is replaced, and what it leads to is not.
    may_be_taken
        Whether the place may be taken; asked right before it is.
    folder
        Which folder it lay in when that was decided; nothing is written once another has taken that place.

    Raises
    ------
    OSError
        When it cannot be written, or its place may not be taken any more.
    """
    within = os.path.dirname(place) or "."
    handle, temporary = mkstemp(prefix=OWN_PREFIX, dir=within)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            os.chmod(temporary, _mode(place))
            yield file
            file.flush()
            os.fsync(handle)
        if folder is not None and identity_of(os.stat(within)) != folder:
            raise OSError(errno.EBUSY, "its folder was replaced by another meanwhile")
        if not may_be_taken(place):
            raise OSError(errno.EEXIST, "something else has been put there meanwhile")
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def writable_folder(what: str, name: str, place: str) -> Identity:
    """The folder in which a file will be written, looked at before there is anything to lose.

    Parameters
    ----------
    what
        The file in words, as the beginning of a sentence: ``The report``.
    name, place
        The file as the user wrote it, and its whole path.

    Raises
    ------
    IncompleteError
        When there is no such folder, or it cannot be written to.
    """
    folder = os.path.dirname(place)
    if not os.path.isdir(folder):
        raise IncompleteError(f"{what} cannot be written to '{name}': there is no folder '{folder}'.")
    if not os.access(folder, os.W_OK):
        raise IncompleteError(f"{what} cannot be written to '{name}': permission denied.")
    return identity_of(os.stat(folder))


def _mode(place: str) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        return os.stat(place).st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask

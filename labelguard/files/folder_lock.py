"""One run at a time in an output folder: a lock that the system takes back from whoever dies.

The lock is the system's own, on a file in the folder, which also says who holds it. File systems without locks (some network mounts) let
everybody in: there a run that finds its journal replaced stops (`labelguard.files.journal`).
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from labelguard.errors import IncompleteError
from labelguard.files.output_folder import OutputFolder, identity_of, write_all
from labelguard.text import reason

LOCK_NAME = ".labelguard-lock"

_OWNER = re.compile(rb"([0-9]{1,10}) on ([\w.-]{0,255})\n", re.ASCII)
_LONGEST = 300
_HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}
_TRIES = 100

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def locked(folder: OutputFolder) -> Iterator[None]:
    """Hold the lock of a folder; the file is gone afterwards.

    Raises
    ------
    IncompleteError
        When another run holds it, or the file of the lock cannot be made or is not labelguard's.
    """
    try:
        descriptor = _acquired(folder)
    except OSError as problem:
        raise IncompleteError(f"The output folder '{folder.path}' cannot be written to: {LOCK_NAME}: {reason(problem)}.") from None
    try:
        yield
    finally:
        if sys.platform != "win32":
            folder.unlink(LOCK_NAME)  # before anybody else can have it
        os.close(descriptor)
        if sys.platform == "win32":
            folder.unlink(LOCK_NAME)  # no file is removed there that is open


def _acquired(folder: OutputFolder) -> int:
    """The open file of the lock, which is held."""
    for _ in range(_TRIES):
        descriptor = folder.open(LOCK_NAME, os.O_RDWR | os.O_CREAT)
        try:
            _lock(descriptor, folder)
            if _still_there(folder, descriptor):
                _sign(descriptor)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # whoever held it has just removed it
    raise OSError(errno.EBUSY, "is made and removed by others all the time")


def refuse_if_locked(folder: OutputFolder) -> None:
    """Say so where another run is writing to a folder.

    Raises
    ------
    IncompleteError
        When one is.
    """
    with suppress(OSError):
        descriptor = folder.open(LOCK_NAME, os.O_RDWR)
        try:
            _lock(descriptor, folder)
        finally:
            os.close(descriptor)


def _lock(descriptor: int, folder: OutputFolder) -> None:
    """Take the lock, which is given back when the file is closed; nothing where the file system has none."""
    status = os.fstat(descriptor)
    content = os.read(descriptor, _LONGEST) if stat.S_ISREG(status.st_mode) else b"?"
    if (content and not _OWNER.fullmatch(content)) or status.st_nlink > 1:  # it will be written to, and might be a source
        raise IncompleteError(f"'{folder.path}/{LOCK_NAME}' is not a lock of labelguard's; remove it, or choose another folder with "
                              "--out DIR.")
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LONGEST, os.SEEK_SET)  # a byte that nobody needs to read
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        if problem.errno in _HELD:
            raise IncompleteError(f"{_owner(content)} is writing to '{folder.path}'. Wait for its end, or choose another folder with "
                                  "--out DIR.") from None


def _still_there(folder: OutputFolder, descriptor: int) -> bool:
    """Whether the file that is open is still the one in the folder."""
    with suppress(FileNotFoundError):
        other = folder.open(LOCK_NAME, os.O_RDONLY)
        try:
            return identity_of(os.fstat(other)) == identity_of(os.fstat(descriptor))
        finally:
            os.close(other)
    return False


def _sign(descriptor: int) -> None:
    """Write down who holds the lock."""
    from platform import node
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, 0)
    name = re.sub(r"[^\w.-]", "", node(), flags=re.ASCII)
    write_all(descriptor, f"{os.getpid()} on {name[:255]}\n".encode("ascii"))


def _owner(content: bytes) -> str:
    """Who has signed."""
    found = _OWNER.fullmatch(content)
    return "Another run of labelguard" + (f" (process {int(found[1])} on {found[2].decode('ascii')})" if found is not None else "")

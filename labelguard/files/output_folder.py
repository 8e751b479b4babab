"""OutputFolder: a folder that is written to, out of which no link leads.

Whoever can write into the output folder could lay a link there that leads to a source. So nothing in it is opened by its path: each
folder on the way is opened by its name from the one above it, refused where it is a link, and the file is made, under a name that nobody
can foresee, and renamed in the folder that is then open. Where the system has no such calls (Windows), each folder on the way is resolved
and compared right before it is used.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.files.limits import MAX_FILE_BYTES
from labelguard.files.memory import take
from labelguard.text import reason

Identity = tuple[int, int]  # device and number: the same file or folder, whatever its path

_FROM_FOLDER = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

_TEMPORARY = ".labelguard-tmp-"
_TEMPORARY_NAME = re.compile(re.escape(_TEMPORARY) + "[0-9a-f]{16}")

# What concerns the disk, or the process, and so every file to come.
_GENERAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.EMFILE, errno.ENFILE}


class UnwritableFileError(IncompleteError):
    """One file cannot be written where it belongs; others may be."""


@dataclass(frozen=True)
class OutputFolder:
    """A folder that is written to; `make` makes one. Picklable, so that it can go to other processes.

    Names of files are relative to it, with forward slashes.

    Parameters
    ----------
    path
        The folder, as the user wrote it.
    identity
        Which folder that was when it was made: nothing is written once something else has taken its place.
    sources
        The folders in which sources lie: nothing is written into them, by whatever way they are reached.
    made
        The folders that were made for it, itself first; none where it was there.
    """

    path: str
    identity: Identity
    sources: frozenset[Identity] = frozenset()
    made: tuple[str, ...] = ()

    @classmethod
    def make(cls, path: str, sources: Iterable[str] = ()) -> OutputFolder:
        """Make the folder where it does not exist, and remember where the source files lie.

        Raises
        ------
        IncompleteError
            When it cannot be made.
        """
        missing = tuple(_missing(path))
        try:
            os.makedirs(path, exist_ok=True)
            return cls(path, identity_of(os.stat(path)), frozenset(_folders_of(sources)), missing)
        except OSError as problem:
            raise IncompleteError(f"The output folder '{path}' cannot be made: {reason(problem)}. Choose another with --out DIR.") from None

    def write(self, name: str, data: bytes, *, lasting: bool = False) -> Identity:
        """Write a file so that it is there whole or not at all, and make the folders that it lies in.

        What has its name before, also a link, is replaced and not written to. What is `lasting` has reached the disk afterwards.

        Raises
        ------
        UnwritableFileError
            When this file cannot be written: a link or a file is where its folder should be, or its name is too long.
        IncompleteError
            When no file can be written: the disk is full.
        """
        try:
            with self._inside(name, make=True) as (folder, place):
                return _replace(folder, place, data, lasting)
        except OSError as problem:
            kind = IncompleteError if problem.errno in _GENERAL else UnwritableFileError
            raise kind(f"'{self.path}/{name}' cannot be written: {reason(problem)}.") from None

    def read(self, name: str) -> bytes:
        """The content of a file; nothing where it is not there, a link, too large or not a file."""
        try:
            with os.fdopen(self.open(name, os.O_RDONLY), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
                    return b""
                take(status.st_size)
                return file.read(status.st_size)
        except (OSError, IncompleteError, UnreadableMaskError):
            return b""

    def append(self, name: str, data: bytes, identity: Identity) -> None:
        """Bring more data to the disk, at the end of a file that was written here.

        Raises
        ------
        OSError
            When it cannot be written, or another file has taken its place.
        """
        descriptor = self.open(name, os.O_WRONLY | os.O_APPEND)
        try:
            if identity_of(os.fstat(descriptor)) != identity:
                raise OSError(errno.EBUSY, "another run, or somebody else, has replaced it")
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def open(self, name: str, flags: int) -> int:
        """Open a file, and no link; gives its descriptor.

        Raises
        ------
        OSError
            When it is a link, or cannot be opened.
        """
        with self._inside(name) as (folder, place):
            return os.open(place, flags | _FILE, 0o666, dir_fd=folder)

    def unlink(self, name: str) -> None:
        """Remove a file, or a link and not what it leads to."""
        with suppress(OSError, IncompleteError), self._inside(name) as (folder, place):
            os.unlink(place, dir_fd=folder)

    def remove_made(self) -> None:
        """Remove the folders that were made, where they hold nothing."""
        for folder in self.made:
            with suppress(OSError):
                os.rmdir(folder)

    def remove_temporaries(self, names: Iterable[str]) -> None:
        """Remove what a run that was killed has left half-written, in this folder and in the folders of these files."""
        for folder_name in {"", *(name.rpartition("/")[0] for name in names)}:
            with suppress(OSError, IncompleteError), self._inside(f"{folder_name}/*".lstrip("/")) as (folder, place):
                for left in os.listdir(os.path.dirname(place) if folder is None else folder):
                    if is_temporary(left):
                        with suppress(OSError):
                            os.unlink(_beside(place, left), dir_fd=folder)

    @contextmanager
    def _inside(self, name: str, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """The open folder that a file lies in, and how the file is called from there: by its name, or by its path where folders cannot be
        opened (then the folder is None)."""
        *parts, last = name.split("/")
        if not {"", ".", ".."}.isdisjoint((*parts, last)):
            raise UnwritableFileError(f"'{name}' is not a name within '{self.path}'.")
        if not _FROM_FOLDER:
            yield None, os.path.join(self._resolved(parts, make), last)
            return
        folder = os.open(self.path, _FOLDER)
        try:
            self._check_root(os.fstat(folder))
            for number, part in enumerate(parts):
                inner = _entered(folder, part, make, "/".join((self.path, *parts[:number + 1])))
                os.close(folder)
                folder = inner
            self._check_not_source(os.fstat(folder), parts)
            yield folder, last
        finally:
            os.close(folder)

    def _resolved(self, parts: list[str], make: bool) -> str:
        """The path of a folder, on the way to which there is no link."""
        self._check_root(os.stat(self.path))
        place = os.path.realpath(self.path)
        for part in parts:
            place = os.path.join(place, part)
            if make:
                with suppress(FileExistsError):
                    os.mkdir(place)
            if os.path.normcase(os.path.realpath(place)) != os.path.normcase(place):
                raise _link(place)
        self._check_not_source(os.stat(place), parts)
        return place

    def _check_root(self, status: os.stat_result) -> None:
        if identity_of(status) != self.identity:
            raise IncompleteError(f"The output folder '{self.path}' was replaced by another while it was being written to; nothing was "
                                  "written into that one.")

    def _check_not_source(self, status: os.stat_result, parts: list[str]) -> None:
        if identity_of(status) in self.sources:
            raise UnwritableFileError(f"'{'/'.join((self.path, *parts))}' is a folder that sources lie in, and sources are never written; "
                                      "choose another folder with --out DIR.")


def identity_of(status: os.stat_result) -> Identity:
    """Which file or folder it is."""
    return status.st_dev, status.st_ino


def is_temporary(name: str) -> bool:
    """Whether a file is one that was being written."""
    return _TEMPORARY_NAME.fullmatch(name) is not None


def _missing(path: str) -> Iterator[str]:
    """A folder and those above it, as far as they do not exist."""
    while path and not os.path.lexists(path):
        yield path
        path = os.path.dirname(path.rstrip(os.sep))


def _folders_of(files: Iterable[str]) -> Iterator[Identity]:
    """The folders in which files lie; of a link, also that of what it leads to."""
    files = tuple(files)
    folders = {os.path.dirname(path) for path in files}
    for folder in folders | {os.path.dirname(os.path.realpath(path)) for path in files if os.path.islink(path)}:
        with suppress(OSError):
            yield identity_of(os.stat(folder or "."))


def _entered(folder: int, part: str, make: bool, path: str) -> int:
    """Open a folder by its name from the one above it."""
    try:
        return os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):  # another worker was faster
            os.mkdir(part, dir_fd=folder)
        return os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
    except OSError:
        if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _link(path) from None
        raise


def _link(path: str) -> UnwritableFileError:
    return UnwritableFileError(f"'{path}' is a link, and nothing is written through links; remove it, or choose another folder with "
                               "--out DIR.")


def _beside(place: str, name: str) -> str:
    return os.path.join(os.path.dirname(place), name)


def _replace(folder: int | None, place: str, data: bytes, lasting: bool) -> Identity:
    """Make a file beside its place and rename it; bring both to the disk where it is to be lasting."""
    temporary = _beside(place, f"{_TEMPORARY}{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o666, dir_fd=folder)
    try:
        try:
            identity = identity_of(os.fstat(descriptor))
            write_all(descriptor, data)
            if lasting:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, place, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    if lasting and folder is not None:
        with suppress(OSError):  # some network file systems cannot do that for folders
            os.fsync(folder)
    return identity


def write_all(descriptor: int, data: bytes) -> None:
    """Write data to an open file, in as many parts as the system takes it."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])

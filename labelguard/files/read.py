"""Read a file: its bytes, or the labels that they hold."""

from __future__ import annotations

import os
import stat

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Mask
from labelguard.files.entries import cannot_be_opened, not_a_file
from labelguard.files.formats import decode_samples
from labelguard.files.limits import MAX_FILE_BYTES
from labelguard.files.memory import take
from labelguard.files.samples import labels_of
from labelguard.spec.argument_checks import checked_path

_GULP = 1 << 16
_HEAD = 64
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # opening a named pipe does not wait for who writes to it


def read(path: str | os.PathLike[str]) -> Mask:
    """Read the labels of one file.

    Parameters
    ----------
    path
        A PNG, TIFF, JPEG, BMP, GIF, WebP or NPY file; what counts is its content, not its name.

    Returns
    -------
    Mask
        Labels of shape (H, W), read-only, in the smallest type that the file's own type fits.

    Raises
    ------
    UsageError
        When `path` is not a path.
    UnreadableMaskError
        When the file cannot be opened, is damaged or is not an image.
    NotLabelsError
        When it holds colors or fractions instead of ids.
    """
    path = checked_path("path", path)
    samples, stored = decode_samples(read_bytes(path), os.fspath(path))
    labels = labels_of(samples, stored)
    labels.flags.writeable = False
    return Mask(labels, os.fspath(path), stored)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a regular file, as it was at one time.

    Raises
    ------
    UnreadableMaskError
        When it cannot be opened, is a device or a pipe, is too large to be a mask, or changes while it is read.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            # Each call hands the interpreter lock over; nearly all masks take these three. A PNG's checksums tell whether it is whole.
            data = os.read(descriptor, _GULP)
            return data if data[-8:-4] == b"IEND" and len(data) < _GULP else _whole(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise UnreadableMaskError(cannot_be_opened(problem)) from None


def _whole(descriptor: int) -> bytes:
    """All of a file; read a second time where it changed under the first."""
    for _ in range(2):
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableMaskError(not_a_file(before.st_mode))
        if before.st_size > MAX_FILE_BYTES:
            raise UnreadableMaskError(f"is {before.st_size / 1e9:.1f} GB large; the limit is {MAX_FILE_BYTES / 1e9:.1f} GB")
        take(before.st_size)
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = os.read(descriptor, before.st_size + 1)  # whatever its size is said to be, no more than that is read
        after = os.fstat(descriptor)
        if len(data) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns:
            return data
        take(-before.st_size)
    raise UnreadableMaskError("changed while it was read; look at it again once nothing writes to it")


def read_head(path: str | os.PathLike[str]) -> bytes:
    """The first bytes of a file, enough to tell its format; empty where it cannot be opened."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return os.read(descriptor, _HEAD)
        finally:
            os.close(descriptor)
    except OSError:
        return b""

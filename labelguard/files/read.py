"""Read a file: its bytes, or the labels that they hold."""

from __future__ import annotations

import os

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Mask
from labelguard.files.formats import decode_samples
from labelguard.files.limits import MAX_FILE_BYTES
from labelguard.files.samples import labels_of
from labelguard.spec.argument_checks import checked_path

_GULP = 1 << 16
_HEAD = 64
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a named pipe that nobody writes to is empty


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
    """The content of a file.

    Raises
    ------
    UnreadableMaskError
        When it cannot be opened, or is too large to be a mask.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            data = os.read(descriptor, _GULP)  # each call hands the interpreter lock over: nearly all masks take these three
            return data if data[-8:-4] == b"IEND" and len(data) < _GULP else data + _rest(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise UnreadableMaskError(f"cannot be opened: {(problem.strerror or str(problem)).lower()}") from None


def _rest(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MAX_FILE_BYTES:
        raise UnreadableMaskError(f"is {size / 1e9:.1f} GB large; the limit for a mask is {MAX_FILE_BYTES / 1e9:.1f} GB")
    return b"".join(iter(lambda: os.read(descriptor, max(size, _GULP)), b""))


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

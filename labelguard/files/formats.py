"""The formats that are read, told apart by their first bytes.

One file a format. A format module has ``NAME``, ``SUFFIXES``, ``matches(head)`` and ``decode(data)``, which gives the samples
as stored and says how they were stored, or raises `UnreadableMaskError`.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files import bmp, gif, jpeg, npy, png, tiff, webp
from labelguard.files.exif import as_displayed
from labelguard.files.memory import take

FORMATS: tuple[Any, ...] = (png, tiff, jpeg, bmp, gif, webp, npy)
MASK_SUFFIXES = frozenset(suffix for format_ in FORMATS for suffix in format_.SUFFIXES)


def format_name(head: bytes) -> str:
    """The name of the format whose files begin so; empty where labelguard reads none that does."""
    return next((str(format_.NAME) for format_ in FORMATS if format_.matches(head)), "")


def decode_samples(data: bytes, name: str) -> tuple[NDArray[Any], Storage]:
    """The samples of a mask file, (H, W) or (H, W, C), lying as Pillow gives them (see `labelguard.files.exif`), and how they were stored;
    whether they are ids is not checked.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image.
    """
    samples, stored = decode_stored(data, name)
    if stored.format == tiff.NAME and stored.orientation > 1:
        take(samples.nbytes)
        samples = np.ascontiguousarray(as_displayed(samples, stored.orientation))
    return samples, stored


def decode_stored(data: bytes, name: str) -> tuple[NDArray[Any], Storage]:
    """The samples of a file as they lie on disk, not turned, and how they were stored.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image.
    """
    format_ = next((format_ for format_ in FORMATS if format_.matches(data[:64])), None)
    if format_ is None:
        raise UnreadableMaskError(_what_else(data))
    samples, stored = format_.decode(data)
    return samples, with_suffix(format_, stored, name)


def with_suffix(format_: ModuleType, stored: Storage, name: str) -> Storage:
    """How a file lies on disk, with the suffix of its name where that belongs to another format."""
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot >= 0 else ""
    if suffix in MASK_SUFFIXES and suffix not in format_.SUFFIXES:
        return replace(stored, wrong_suffix=suffix)
    return stored


def _what_else(data: bytes) -> str:
    """What a file is instead, where no format matches."""
    if not data:
        return "is empty (0 bytes)"
    if data.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not the image; 'git lfs pull' fetches the image"
    if data[:256].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page, not an image; a download went wrong"
    if data[:4] == b"\x89PNG":
        return "begins like a PNG, but its signature is damaged; a transfer in text mode does that"
    if not data[:512].strip(b"\0"):
        return "holds nothing but zero bytes where an image should begin; a copy was broken off"
    try:
        text = data[:200].decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and all(character.isprintable() or character in "\r\n\t" for character in text):
        return f"is text, not an image: it begins with {text.strip().splitlines()[0][:40]!r}" if text.strip() else "is blank text"
    names = ", ".join(format_.NAME for format_ in FORMATS)
    return f"is not of a format that labelguard reads ({names}): it begins with the bytes {data[:8].hex(' ')}"

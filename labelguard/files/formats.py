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
from labelguard.files.other_formats import what_it_is

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
        raise UnreadableMaskError(what_it_is(data) or _unknown(data))
    samples, stored = format_.decode(data)
    return samples, with_suffix(format_, stored, name)


def with_suffix(format_: ModuleType, stored: Storage, name: str) -> Storage:
    """How a file lies on disk, with the suffix of its name where that belongs to another format."""
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot >= 0 else ""
    if suffix in MASK_SUFFIXES and suffix not in format_.SUFFIXES:
        return replace(stored, wrong_suffix=suffix)
    return stored


def _unknown(data: bytes) -> str:
    names = ", ".join(format_.NAME for format_ in FORMATS)
    return f"is not of a format that labelguard reads ({names}): it begins with the bytes {data[:8].hex(' ')}"

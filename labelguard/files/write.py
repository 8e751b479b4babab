"""Write a mask: whole or not at all, in the format it came in, or as PNG where that was lossy or has no place for ids."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from pathlib import PurePosixPath

import numpy as np

from labelguard.errors import IncompleteError
from labelguard.facts.mask import Mask
from labelguard.files import npy, png, png_write, tiff, tiff_write

TEMPORARY = ".labelguard-tmp"
_KEPT_FORMATS = {format_.NAME: format_ for format_ in (png, tiff, npy)}


def target_name(name: str, format_name: str) -> str:
    """What the file for a mask is called: the same name and folder; the suffix is .png where the format is not kept."""
    path = PurePosixPath(name)
    format_ = _KEPT_FORMATS.get(format_name, png)
    return name if path.suffix.lower() in format_.SUFFIXES else str(path.with_suffix(format_.SUFFIXES[0]))


def encode(mask: Mask) -> bytes:
    """The content of the file for a mask; the same for the same labels.

    PNG, TIFF and NPY stay what they were, a palette file stays a palette file; everything else becomes PNG. Ids that PNG has no
    room for, below 0 or above 65535, become a TIFF's or NPY's own integers; in other formats they cannot occur.
    """
    stored = mask.stored
    if stored is not None and stored.format == npy.NAME:
        buffer = io.BytesIO()
        np.save(buffer, mask.labels, allow_pickle=False)
        return buffer.getvalue()
    if stored is not None and stored.format == tiff.NAME:
        return tiff_write.encode_tiff(mask.labels, stored)
    if mask.labels.dtype not in (np.uint8, np.uint16):
        raise IncompleteError(f"'{mask.name}' holds ids that a PNG has no room for ({int(mask.labels.min())} to {int(mask.labels.max())}); "
                             "a PNG holds 0 to 65535.")
    return png_write.encode_png(mask.labels, stored)  # type: ignore[arg-type]


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is there whole or not at all: beside its place, then renamed.

    Raises
    ------
    IncompleteError
        When the folder cannot be written to, or the disk is full.
    """
    temporary = f"{path}{TEMPORARY}"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(temporary, "wb", buffering=0) as file:
            written = 0
            while written < len(data):
                written += file.write(data[written:] if written else data)
        os.replace(temporary, path)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(temporary)
        raise IncompleteError(f"'{path}' cannot be written: {(problem.strerror or str(problem)).lower()}.") from None

"""The bytes of a mask that is written: in the format it came in, or as PNG where that was lossy or has no place for ids."""

from __future__ import annotations

import io
from pathlib import PurePosixPath

import numpy as np

from labelguard.facts.mask import Mask
from labelguard.files import npy, png, png_write, tiff, tiff_write
from labelguard.files.output_folder import UnwritableFileError

_KEPT_FORMATS = {format_.NAME: format_ for format_ in (png, tiff, npy)}


def target_name(name: str, format_name: str) -> str:
    """What the file for a mask is called: the same name and folder; the suffix is .png where the format is not kept."""
    path = PurePosixPath(name)
    format_ = _KEPT_FORMATS.get(format_name, png)
    return name if path.suffix.lower() in format_.SUFFIXES else str(path.with_suffix(format_.SUFFIXES[0]))


def encode(mask: Mask) -> bytes:
    """The content of the file for a mask; the same for the same labels.

    PNG, TIFF and NPY stay what they were, a palette file stays a palette file; everything else becomes PNG. Ids that PNG has no
    room for, below 0 or above 65535, become a TIFF's or NPY's own integers.

    Raises
    ------
    UnwritableFileError
        When a PNG has no room for them.
    """
    stored = mask.stored
    if stored is not None and stored.format == npy.NAME:
        buffer = io.BytesIO()
        np.save(buffer, mask.labels, allow_pickle=False)
        return buffer.getvalue()
    if stored is not None and stored.format == tiff.NAME:
        return tiff_write.encode_tiff(mask.labels, stored)
    if mask.labels.dtype not in (np.uint8, np.uint16):
        raise UnwritableFileError(f"'{mask.name}' holds ids that a PNG has no room for ({int(mask.labels.min())} to "
                                  f"{int(mask.labels.max())}); a PNG holds 0 to 65535.")
    return png_write.encode_png(mask.labels, stored)  # type: ignore[arg-type]

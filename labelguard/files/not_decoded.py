"""NotDecodedError: a sound file whose codec is not undone."""

from __future__ import annotations

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage

CONVERT = ("pip install tifffile imagecodecs; "
           "python -c \"import tifffile as t; t.imwrite('new.tif', t.imread('old.tif'), compression='zlib')\"")
"""Commands that write such a TIFF in a way that is read."""


class NotDecodedError(UnreadableMaskError):
    """A sound header before pixels that are not decoded.

    Parameters
    ----------
    stored
        How they lie on disk.
    shape, dtype
        (H, W) as the file is read, and the type of a sample.
    """

    def __init__(self, stored: Storage, shape: tuple[int, int], dtype: str) -> None:
        super().__init__(f"is compressed as {stored.codec} inside TIFF, which labelguard does not read; convert it first: {CONVERT}")
        self.stored, self.shape, self.dtype = stored, shape, dtype

    def __reduce__(self) -> tuple[type[NotDecodedError], tuple[Storage, tuple[int, int], str]]:
        return NotDecodedError, (self.stored, self.shape, self.dtype)

"""From an image file to its facts: the header alone, or the pixels too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.digest import digest_of_array
from labelguard.facts.image import ImageFacts, PixelFacts
from labelguard.facts.mask import Storage
from labelguard.files.formats import decode_stored
from labelguard.files.headers import read_header
from labelguard.files.not_decoded import NotDecodedError

_BAND_SAMPLES = 1 << 20  # samples


def image_facts(data: bytes, name: str = "", pixels: bool = True) -> ImageFacts:
    """Gather the facts of an image.

    Parameters
    ----------
    data
        The whole file.
    name
        Its name, for the suffix.
    pixels
        Whether the pixels are wanted too; decoding them takes nearly all of the time.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image.
    """
    try:
        return decode_image(data, name)[1] if pixels else ImageFacts(*read_header(data))
    except NotDecodedError as reason:  # a sound image, of which the header has to do
        return ImageFacts(*read_header(data), reason.stored)


def decode_image(data: bytes, name: str = "") -> tuple[NDArray[Any], ImageFacts]:
    """Decode an image and gather its facts.

    Returns
    -------
    samples, facts
        (H, W) or (H, W, C) as stored: not turned by EXIF, palette indices for a palette file.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged or is not an image; as `NotDecodedError` when it is sound, but its codec is not one that is undone.
    """
    samples, stored = decode_stored(data, name)
    _, orientation = read_header(data)
    shape = (samples.shape[0], samples.shape[1])
    return samples, ImageFacts(shape, orientation, stored, _pixel_facts(samples, stored))


def as_colors(samples: NDArray[Any], stored: Storage) -> NDArray[Any]:
    """What the samples of an image stand for: (H, W, 3) colors where they are indices into a palette, else themselves."""
    if stored.palette is None or samples.ndim != 2:
        return samples
    palette = np.frombuffer(stored.palette, np.uint8).reshape(-1, 3)
    colors: NDArray[Any] = palette[np.minimum(samples, len(palette) - 1)]
    return colors


def _pixel_facts(samples: NDArray[Any], stored: Storage) -> PixelFacts:
    paint = samples if samples.ndim == 3 else samples[:, :, None]
    if stored.channels in ("rgba", "grey-alpha"):
        paint = paint[:, :, :-1]
    constant = tuple(_constant(paint[:, :, channel]) for channel in range(paint.shape[2]))
    nans, infinite, first = _nonfinite(paint) if paint.dtype.kind == "f" else (0, 0, None)
    return PixelFacts(digest_of_array(samples), constant, nans, infinite, first)


def _constant(channel: NDArray[Any]) -> float | None:
    """The value of all pixels, None where they differ; most images show that they do in their first row or column."""
    value = channel[0, 0]
    if (channel[0] != value).any() or (channel[:, 0] != value).any() or (channel != value).any():
        return None
    return float(value)


def _nonfinite(paint: NDArray[np.floating]) -> tuple[int, int, tuple[int, int] | None]:
    nans = infinite = 0
    first: tuple[int, int] | None = None
    step = max(1, _BAND_SAMPLES // paint[0].size)
    for row in range(0, len(paint), step):
        band = paint[row:row + step]
        finite = np.isfinite(band).all(axis=2)
        if finite.all():
            continue
        if first is None:
            place = np.unravel_index(int(np.argmin(finite)), finite.shape)
            first = row + int(place[0]), int(place[1])
        nans += int(np.isnan(band).sum())
        infinite += int(np.isinf(band).sum())
    return nans, infinite, first

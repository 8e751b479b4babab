"""An image as one looks at it, to be shown below its mask."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from labelguard.files.exif import as_displayed
from labelguard.files.formats import decode_stored
from labelguard.files.headers import read_header
from labelguard.files.image import as_colors
from labelguard.files.read import read_bytes
from labelguard.pictures.mask_picture import same_proportions
from labelguard.pictures.scaling import as_photograph


def read_photograph(path: str | os.PathLike[str], shape: tuple[int, ...] = ()) -> NDArray[np.uint8]:
    """The pixels of an image, (H, W, 3).

    Parameters
    ----------
    path
        Its file.
    shape
        (H, W) of the mask: an image that fits only as its EXIF orientation says is turned so, any other lies as it is stored, and so
        does every image where there is no mask.

    Raises
    ------
    UnreadableMaskError
        When it cannot be opened, or is damaged, or is not an image.
    """
    data = read_bytes(path)
    samples, stored = decode_stored(data, os.fspath(path))
    pixels = as_photograph(as_colors(samples, stored))
    if not shape:
        return pixels
    turned = as_displayed(pixels, read_header(data)[1])
    return np.ascontiguousarray(turned) if same_proportions(turned.shape, shape) and not same_proportions(pixels.shape, shape) else pixels

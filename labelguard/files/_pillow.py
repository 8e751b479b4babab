"""Pixels through Pillow: the plug-in of one format, asked directly.

`PIL.Image.open` is left out on purpose: it tries every plug-in it knows and warns about large images through the
process-wide warning filters, which threads cannot silence safely. Sizes are checked here instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels
from labelguard.files.limits import check_size
from labelguard.files.memory import take

if TYPE_CHECKING:
    from PIL.Image import Image

_BAND_BYTES = 1 << 24

# What a Pillow mode holds, and the bytes that a pixel of it takes inside Pillow and in the array together.
_MODES: dict[str, tuple[Channels, int]] = {
    "L": ("grey", 2), "P": ("palette", 2), "LA": ("grey-alpha", 6), "RGB": ("rgb", 7), "RGBA": ("rgba", 8),
    "CMYK": ("other", 8),
}


def pixels(image: Image, extra: int = 0) -> tuple[NDArray[np.uint8], Channels]:
    """Decode an image of 8-bit samples that a Pillow plug-in has opened.

    Parameters
    ----------
    image
        The opened image, its pixels not yet loaded.
    extra
        Bytes a pixel that the decoder takes beside the image and the array.

    Returns
    -------
    array
        uint8, (H, W) or (H, W, C); palette indices for a palette image.
    channels
        What a pixel holds.

    Raises
    ------
    UnreadableMaskError
        When the size is beyond the limit or the mode is not one of 8-bit samples; Pillow's own exceptions pass through.
    """
    if image.mode not in _MODES:
        raise UnreadableMaskError(f"holds pixels of Pillow's mode {image.mode}, which no label file of this format has")
    channels, cost = _MODES[image.mode]
    take(check_size((image.height, image.width), cost + extra))
    image.load()
    count = len(image.getbands())
    array = np.empty((image.height, image.width, count), np.uint8)
    # In bands, since tobytes() holds every byte twice for a moment.
    rows = max(1, _BAND_BYTES // (image.width * count))
    for top in range(0, image.height, rows):
        bottom = min(top + rows, image.height)
        band = image.crop((0, top, image.width, bottom)).tobytes()
        array[top:bottom] = np.frombuffer(band, np.uint8).reshape(bottom - top, image.width, count)
    return (array[:, :, 0] if count == 1 else array), channels

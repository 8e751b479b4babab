"""From the pixels of a file to colors: one number for each pixel, 65536 red + 256 green + blue, so that colors can be moved as ids are.

What is not opaque has 255 minus its alpha above that, so that no table takes it for the color that shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import NotLabelsError, UnreadableMaskError
from labelguard.facts.mask import Mask, Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files import bmp
from labelguard.files.formats import decode_samples
from labelguard.files.mask import without_pixels
from labelguard.files.memory import take
from labelguard.files.not_decoded import NotDecodedError

_OPAQUE = 255


def decode_colors(data: bytes, name: str = "") -> tuple[Mask | None, MaskFacts]:
    """Decode the colors of a file's content, and gather their facts as if they were ids.

    Parameters
    ----------
    data
        The whole file: RGB with or without alpha, grey, or a palette file, whose indices become the colors of its palette.
    name
        Its name, for the suffix.

    Returns
    -------
    mask, facts
        The mask is None where the codec is lossy: no color is then what was drawn, and the facts say what they are instead.

    Raises
    ------
    UnreadableMaskError
        When the content is damaged, is not an image, or holds no colors of 8 bits a channel.
    """
    try:
        samples, stored = decode_samples(data, name)
    except NotDecodedError as reason:
        return None, without_pixels(reason, name)
    if stored.lossy:
        return None, MaskFacts((samples.shape[0], samples.shape[1]), samples.dtype.name, stored=stored)
    try:
        colors = colors_of(samples, stored)
    except NotLabelsError as problem:
        raise UnreadableMaskError(str(problem)) from None
    return Mask(colors, name, stored), MaskFacts.of_labels(colors, stored, take=take)


def colors_of(samples: NDArray[Any], stored: Storage) -> NDArray[np.uint32]:
    """The colors of a file's samples.

    Parameters
    ----------
    samples
        (H, W) or (H, W, C), as a format's `decode` gives them.
    stored
        What they are.

    Returns
    -------
    ndarray
        (H, W) uint32.

    Raises
    ------
    NotLabelsError
        When they are no colors of 8 bits a channel.
    """
    take(6 * samples.shape[0] * samples.shape[1])
    if stored.channels == "palette":
        return _of_palette(samples if samples.ndim == 2 else samples[:, :, 0], stored.palette or b"")
    planes = samples[:, :, None] if samples.ndim == 2 else samples
    if stored.channels == "other" or planes.shape[2] > 4:
        raise NotLabelsError(f"holds {planes.shape[2]} values in each pixel, and they are no colors")
    if stored.white_is_zero:
        raise NotLabelsError("holds grey levels that run from white to black (MinIsWhite); save it again as RGB")
    return as_numbers(_of_8_bits(planes, stored))


def as_numbers(planes: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Colors (H, W, C) of 8 bits a channel as numbers; grey for one channel, grey and alpha for two, else R, G, B and perhaps alpha."""
    number = planes.shape[2]
    out = np.zeros((*planes.shape[:2], 4), np.uint8)
    red, green, blue = (0, 0, 0) if number < 3 else (0, 1, 2)
    out[:, :, 2], out[:, :, 1], out[:, :, 0] = planes[:, :, red], planes[:, :, green], planes[:, :, blue]
    if number in (2, 4):
        np.subtract(_OPAQUE, planes[:, :, -1], out=out[:, :, 3])
    colors: NDArray[np.uint32] = out.view("<u4")[:, :, 0].astype(np.uint32, copy=False)
    return colors


def color_of_number(color: int) -> tuple[int, ...]:
    """The color that a number stands for, as (red, green, blue), with alpha behind them where it is not opaque."""
    transparent = color >> 24
    return (color >> 16 & 255, color >> 8 & 255, color & 255, *((_OPAQUE - transparent,) if transparent else ()))


def _of_palette(indices: NDArray[Any], palette: bytes) -> NDArray[np.uint32]:
    table = as_numbers(np.frombuffer(palette, np.uint8).reshape(1, -1, 3))[0]
    highest = int(indices.max())
    if highest >= len(table):
        row, column = np.unravel_index(int(np.argmax(indices >= len(table))), indices.shape)
        raise NotLabelsError(f"holds the index {highest}, and its palette has {len(table)} colors; the first pixel without a color is in "
                             f"row {row}, column {column}")
    colors: NDArray[np.uint32] = table[indices]
    return colors


def _of_8_bits(planes: NDArray[Any], stored: Storage) -> NDArray[np.uint8]:
    """The samples as 8 bits: fewer are stretched from black to white, more must be what 8 bits are in 16."""
    if planes.dtype == np.bool_:
        return planes.view(np.uint8) * np.uint8(255)
    if planes.dtype == np.uint8:
        levels = (1 << stored.bits) - 1 if stored.format != bmp.NAME else 255  # grey levels of a BMP are those of its palette
        return planes * np.uint8(255 // levels) if levels < 255 else planes
    if planes.dtype.kind in "ui" and planes.min() >= 0 and planes.max() < 1 << 16:
        take(8 * planes.size)
        wide = planes.astype(np.uint16)
        for eight, as_stored in ((wide >> 8, 257), (wide, 1)):  # the whole range of 16 bits, as PNG and TIFF have it, or 8 bits as they are
            if bool((wide == (eight & 255) * np.uint16(as_stored)).all()):
                return eight.astype(np.uint8)
    raise NotLabelsError(f"holds channels of type {planes.dtype}, and not all are colors of 8 bits; save it again with 8 bits a channel")

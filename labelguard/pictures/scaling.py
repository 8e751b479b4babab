"""From the pixels of a mask to those of a picture: fewer by a vote of ids, or each one as a block; nothing is blurred."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels.area_vote import area_vote
from labelguard.kernels.factorize import factorize

_SCARCE = 0.15   # of the pixels: ids that have less
_ENOUGH = 0.3    # take a cell from this share of it on, so that poles and vessels do not fall apart

_Pixels = TypeVar("_Pixels", bound=np.generic)


def shown_shape(shape: tuple[int, int], size: int) -> tuple[int, int]:
    """Height and width at which a mask is shown: its longer side is `size`, or as many whole times its pixels as fit into that."""
    longest = max(shape)
    if longest <= size:
        return shape[0] * (size // longest), shape[1] * (size // longest)
    return max(1, round(shape[0] * size / longest)), max(1, round(shape[1] * size / longest))


def shown_labels(labels: NDArray[np.integer], shape: tuple[int, int], kept: Collection[int] = ()) -> NDArray[np.integer]:
    """The labels at the size of a picture.

    Parameters
    ----------
    labels
        (H, W), any integer type.
    shape
        Height and width of the result, from `shown_shape`.
    kept
        Ids that take every cell in which they have a pixel. Else the id with the largest exact area takes a cell, and one that covers
        little of the mask from a third of the cell on.

    Returns
    -------
    ndarray
        Of this shape; every id in it is one of the mask.
    """
    if shape[0] >= labels.shape[0] and shape[1] >= labels.shape[1]:
        return enlarged(labels, shape)
    codes, size, ids = factorize(labels)
    thresholds = np.zeros(size, np.int64)
    cell = labels.shape[0] * labels.shape[1]
    if size <= 1 << 16:
        counts = np.bincount(codes[::3, ::3].ravel(), minlength=size)
        thresholds[counts < _SCARCE * counts.sum()] = int(_ENOUGH * cell)
    places = {int(label): at for at, label in enumerate(ids)} if ids is not None else None
    for label in kept:
        at = label if places is None else places.get(label, -1)
        if 0 <= at < size:
            thresholds[at] = 1
    voted = area_vote(codes, *shape, size, thresholds, False)
    return voted if ids is None else ids[voted]


def shown_image(image: NDArray[np.uint8], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """A photograph, (H, W, 3), at the size of a picture: averaged over areas, or each pixel as a block."""
    if shape[0] >= image.shape[0] and shape[1] >= image.shape[1] and shape[0] % image.shape[0] == shape[1] % image.shape[1] == 0:
        return enlarged(image, shape)
    from PIL import Image
    return np.asarray(Image.fromarray(image).resize((shape[1], shape[0]), Image.Resampling.BOX))


def enlarged(pixels: NDArray[_Pixels], shape: tuple[int, int]) -> NDArray[_Pixels]:
    """Each pixel as a block; `shape` is a whole multiple."""
    down, across = shape[0] // pixels.shape[0], shape[1] // pixels.shape[1]
    return pixels if down == across == 1 else pixels.repeat(down, axis=0).repeat(across, axis=1)


def as_photograph(samples: NDArray[Any]) -> NDArray[np.uint8]:
    """What a decoded image looks like, (H, W, 3) uint8.

    Parameters
    ----------
    samples
        (H, W) grey or (H, W, C) of any number of channels and any type, not indices into a palette; the first three channels are shown.
        More than 8 bits are spread from the lowest to the highest value.
    """
    channels = samples if samples.ndim == 3 else samples[:, :, np.newaxis]
    channels = channels[:, :, :3] if channels.shape[2] >= 3 else channels[:, :, :1]
    if channels.dtype == np.bool_:
        channels = channels * np.uint8(255)
    elif channels.dtype != np.uint8:
        values = channels.astype(np.float32)
        there = values[np.isfinite(values)]
        low, high = (float(there.min()), float(there.max())) if there.size else (0.0, 0.0)
        values = np.clip(np.where(np.isnan(values), np.float32(low), values), low, high)
        channels = ((values - low) * (255 / ((high - low) or 1))).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(channels, (*channels.shape[:2], 3)))

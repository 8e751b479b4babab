"""Neutral masks, which no loss can object to; and changes that leave the rest of a batch as it was."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UsageError
from labelguard.lossprobe.supervisor.outcome import Labels

Pixel = tuple[int, int, int]    # sample, row, column


def neutral_masks(count: int, height: int, width: int, num_classes: int, seed: int = 0, without: Collection[int] = ()) -> NDArray[np.int64]:
    """Synthetic masks that hold every class, each in one block or several, and nothing else.

    Parameters
    ----------
    count, height, width
        Shape of the batch.
    num_classes
        Classes are 0 to ``num_classes - 1``.
    seed
        Assigns the classes to the blocks, differently in each mask.
    without
        Ids to leave out, such as ignore ids that lie among the classes.

    Returns
    -------
    numpy.ndarray
        Ids of shape (N, H, W), int64. A mask with fewer pixels than classes holds as many classes as it has pixels.

    Raises
    ------
    UsageError
        When no class is left.
    """
    classes = np.setdiff1d(np.arange(num_classes), np.fromiter(without, np.int64))
    if not len(classes):
        raise UsageError(f"None of the {num_classes} classes is left once the ignored ids are taken out.")
    rows, columns = _blocks(len(classes), height, width)
    block = (np.arange(height) * rows // max(height, 1))[:, None] * columns + np.arange(width) * columns // max(width, 1)
    random = np.random.default_rng(seed)
    masks = np.empty((count, height, width), np.int64)
    for mask in masks:
        dealt = np.concatenate([random.permutation(classes) for _ in range(-(-rows * columns // len(classes)))])
        mask[:] = dealt[block]
    return masks


def _blocks(classes: int, height: int, width: int) -> tuple[int, int]:
    """Rows and columns of blocks, roughly square, one for each class where the pixels allow it."""
    rows = min(max(round((classes * height / max(width, 1)) ** 0.5), 1), max(height, 1))
    columns = min(-(-classes // rows), max(width, 1))
    return min(-(-classes // columns), max(height, 1)), columns


def plant(labels: Labels, pixel: Pixel, value: int) -> NDArray[np.int64]:
    """A copy of (N, H, W) labels with one pixel changed."""
    planted = labels.astype(np.int64)
    planted[pixel] = value
    return planted


def replace_pixels(labels: Labels, where: NDArray[np.bool_], classes: Collection[int], instead: Labels) -> NDArray[np.int64]:
    """A copy of (N, H, W) labels in which some pixels are legal and the others stay as they were.

    Parameters
    ----------
    labels
        The batch.
    where
        The pixels to replace; the same shape.
    classes
        The legal ids. A pixel gets the class that is most frequent in its mask, so that no class joins or leaves the mask.
    instead
        Where a mask has no legal pixel left, its pixels come from this batch of the same shape.
    """
    replaced = labels.astype(np.int64)
    legal = np.fromiter(classes, np.int64)
    for index in np.flatnonzero(where.any(axis=(1, 2))):
        mask, chosen = replaced[index], where[index]
        rest, counts = np.unique(mask[~chosen], return_counts=True)
        counts[~np.isin(rest, legal)] = 0
        mask[chosen] = rest[counts.argmax()] if counts.any() else instead[index][chosen]
    return replaced


def replace_ids(labels: Labels, ids: Collection[int], classes: Collection[int], instead: Labels) -> NDArray[np.int64]:
    """`replace_pixels` for every pixel that holds one of some ids."""
    return replace_pixels(labels, np.isin(labels, np.fromiter(ids, np.int64)), classes, instead)

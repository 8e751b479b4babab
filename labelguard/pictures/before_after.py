"""The same mask under the ids before and after a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.legend import LegendRow, legend
from labelguard.pictures.mask_picture import SIZE, mask_picture
from labelguard.pictures.picture import Picture


def before_after(before: NDArray[np.integer], after: NDArray[np.integer], colors: ClassColors | None = None, *,
                 size: int = SIZE) -> tuple[Picture, Picture, tuple[LegendRow, ...]]:
    """Show what a table does to a mask.

    Parameters
    ----------
    before, after
        (H, W) each: the mask, and what a stage such as `labelguard.Remap` makes of it.
    colors
        What color each id has, in both: those of the spec that the result is meant to have.
    size
        The longer side of each picture in pixels.

    Returns
    -------
    before, after, legend
        Two pictures of one size, and one legend of all ids in either, with the pixels that they have afterwards.
    """
    colors = colors or ClassColors()
    ids, counts = np.unique(after, return_counts=True)
    pixels = dict.fromkeys(np.unique(before).tolist(), 0) | dict(zip(ids.tolist(), counts.tolist(), strict=True))
    first, second = mask_picture(before, colors, size=size), mask_picture(after, colors, size=size)
    return replace(first, alt=f"Before: {first.alt}"), replace(second, alt=f"After: {second.alt}"), legend(pixels, colors)

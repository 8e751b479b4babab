"""Boxes of a COCO file: how many there are, and those that hurt a detector."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from labelguard.facts.frozen import FrozenDict

Fault = Literal["malformed", "nonfinite", "negative", "empty", "outside", "thin", "beyond"]
Values = tuple[float, float, float, float]
SLACK = 1.0           # pixels that a rounded box may reach over the edge


class BadBox(NamedTuple):
    """A box that hurts: its annotation, the image, and what stands in the file."""

    annotation: str
    image: str
    values: str


@dataclass(frozen=True, slots=True)
class BoxFile:
    """What was learned of a COCO file.

    Parameters
    ----------
    path
        As the user wrote it.
    images, boxes
        How many it lists.
    corners
        Whether its boxes are (x1, y1, x2, y2), which COCO's are not; the faults are then those of the corners.
    faults
        The first examples of each fault that is there.
    counts
        How many boxes have each fault, 0 where none has; each box is counted once, for the worst.
    files
        For each fault that is there the files of the images concerned.
    orphans
        How many boxes belong to an image that the file does not list.
    wrapped
        How many coordinates look like a -1 that wrapped in 16 bits.
    """

    path: str
    images: int
    boxes: int
    corners: bool = False
    faults: Mapping[Fault, tuple[BadBox, ...]] = field(default_factory=FrozenDict)
    counts: Mapping[Fault, int] = field(default_factory=FrozenDict)
    files: Mapping[Fault, frozenset[str]] = field(default_factory=FrozenDict)
    orphans: int = 0
    wrapped: int = 0


def fault_of(box: Values, size: tuple[float, float] | None = None) -> Fault | None:
    """What is wrong with a box.

    Parameters
    ----------
    box
        x, y, width, height in pixels; it covers x to x + width.
    size
        (H, W) of the image, where it is known.

    Returns
    -------
    str or None
        The worst fault. ``"thin"`` is a box that is at most one pixel wide or high: it has an area where x2 = x + width, and none where
        x2 is the last pixel, x + width - 1.
    """
    x, y, width, height = box
    if not all(map(math.isfinite, box)):
        return "nonfinite"
    if width < 0 or height < 0:
        return "negative"
    if width == 0 or height == 0:
        return "empty"
    if size is not None and (x >= size[1] or y >= size[0] or x + width <= 0 or y + height <= 0):
        return "outside"
    if width <= 1 or height <= 1:
        return "thin"
    if size is not None and (min(x, y) < -SLACK or x + width > size[1] + SLACK or y + height > size[0] + SLACK):
        return "beyond"
    return None

"""Crops: what random crops of a mask hold; LoaderPlan: the batches and crops that a scan is asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UsageError
from labelguard.facts.frozen import FrozenDict
from labelguard.spec.argument_checks import as_int, whole_number
from labelguard.spec.labelspec import LabelSpec

if TYPE_CHECKING:
    from labelguard.facts.mask_facts import MaskFacts

Size = tuple[int, int]
Codes = tuple[NDArray[np.unsignedinteger], int, NDArray[np.integer] | None]


class CropFacts(NamedTuple):
    """What crops of one size hold, counted over every position that a crop can take in a mask.

    Parameters
    ----------
    windows
        The number of positions.
    blind
        Those without a valid pixel: every pixel is ignored.
    empty
        Those without foreground; None where no id is the background.
    without
        For each class that the mask holds, the positions without it; empty where nobody asked.
    smaller
        Whether the mask is smaller than the crop. Where it is, the crop was taken to be as long as the mask.
    """

    windows: int
    blind: int
    empty: int | None
    without: dict[int, int]
    smaller: bool


@dataclass(frozen=True, slots=True)
class RandomCrop:
    """What to find out about the crops of each mask. Picklable.

    Parameters
    ----------
    size
        (H, W) of a crop.
    spec
        What the ids mean.
    each_class
        Whether each class is looked for, beside valid pixels and foreground.
    """

    size: Size
    spec: LabelSpec
    each_class: bool = False

    def of(self, facts: MaskFacts, codes: Callable[[], Codes]) -> CropFacts:
        """Look at the crops of one mask.

        Parameters
        ----------
        facts
            Of the mask.
        codes
            Gives its pixels as of `kernels.factorize`; called only where counts and boxes do not tell already.
        """
        height, width = (min(side, limit) for side, limit in zip(self.size, facts.shape, strict=True))
        windows = Windows(facts, (height, width), codes)
        valid = [at for at, label in enumerate(facts.present) if label not in self.spec.ignore_index]
        background = self.spec.background_id
        fore = [at for at in valid if facts.present[at] != background]
        blind = windows.without(valid)
        empty = None if background is None else blind if fore == valid else windows.without(fore)
        classes = [at for at in valid if self.spec.is_class(facts.present[at])] if self.each_class else []
        return CropFacts(windows.number, blind, empty, {facts.present[at]: windows.without([at]) for at in classes},
                         (height, width) != self.size)


class Windows:
    """The positions of a window in a mask; see `RandomCrop.of` for the parameters."""

    def __init__(self, facts: MaskFacts, size: Size, codes: Callable[[], Codes]) -> None:
        self.facts, self.size, self._decode = facts, size, codes
        self.boxes = facts.bboxes
        self.number = positions(facts.shape, size)
        self._codes: Codes | None = None

    def without(self, places: list[int]) -> int:
        """The positions at which a window holds none of some ids, given by their places in the facts."""
        height, width = self.size
        pixels = int(self.facts.num_pixels[places].sum())
        if not places:
            return self.number
        if self.facts.pixels - pixels < height * width:
            return 0  # the other pixels do not suffice to fill a window
        margin = np.array([height - 1, width - 1])
        top, left = np.maximum(self.boxes[places, :2].min(axis=0) - margin, 0)
        bottom, right = np.minimum(self.boxes[places, 2:].max(axis=0) + margin, self.facts.shape)
        if self._codes is None:
            self._codes = self._decode()
        labels, count, ids = self._codes
        near = np.ascontiguousarray(labels[top:bottom, left:right])  # all windows that touch the box of these ids lie in here
        member = np.zeros(count, np.bool_)
        member[places if ids is not None else [self.facts.present[at] for at in places]] = True
        from labelguard.kernels.windows import windows_without
        return self.number - positions(near.shape, self.size) + int(windows_without(near, member, height, width))


def positions(shape: tuple[int, ...], window: Size) -> int:
    """How many positions a window of (H, W) has in a mask that is at least as large."""
    return (shape[0] - window[0] + 1) * (shape[1] - window[1] + 1)


@dataclass(frozen=True, slots=True)
class LoaderPlan:
    """The batches and crops that a scan is asked about.

    Parameters
    ----------
    batch_size
        Masks in a batch, None where nobody asked.
    crop
        (H, W) of a random crop, in pixels; None where nobody asked.
    crops
        What the crops of each mask hold, by its path.

    Raises
    ------
    UsageError
        When a number is not positive, or not a whole number.
    """

    batch_size: int | None = None
    crop: Size | None = None
    crops: Mapping[str, CropFacts] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        if self.batch_size is not None:
            object.__setattr__(self, "batch_size", whole_number("batch_size", self.batch_size, least=1))
        if self.crop is not None:
            object.__setattr__(self, "crop", _height_and_width(self.crop))

    @property
    def asked(self) -> bool:
        """Whether anybody asked for batches or crops."""
        return self.batch_size is not None or self.crop is not None

    def cropping(self, spec: LabelSpec) -> RandomCrop | None:
        """What to find out about the crops of each mask; None where nobody asked for crops."""
        return None if self.crop is None else RandomCrop(self.crop, spec, self.batch_size is not None and spec.declared)


def _height_and_width(crop: object) -> Size:
    sides = [as_int(side) for side in crop] if isinstance(crop, Iterable) and not isinstance(crop, str) else []
    if len(sides) != 2 or sides[0] is None or sides[1] is None or min(sides[0], sides[1]) < 1:
        raise UsageError(f"crop is {crop!r}; it must be height and width in pixels, such as (512, 512).", argument="crop")
    return sides[0], sides[1]

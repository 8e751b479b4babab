"""ImageFacts: what is learned of an image; PairFacts: of a mask and its image; ImageSet: of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.mask import Storage
from labelguard.pairing.by_name import Pairing

Shape = tuple[int, int]
Fit = Literal["equal", "either", "stored", "displayed", "transposed", "margin", "scaled", "other"]
_MARGIN, _MARGIN_SHARE = 6, 0.05  # a crop or a frame of the annotation tool is no wider than this, in pixels and as a share of the side
_ASPECT = 0.005


@dataclass(frozen=True, slots=True)
class PixelFacts:
    """What only the decoded pixels of an image tell.

    Parameters
    ----------
    digest
        Of the pixels, their type and shape; two files of one content have the same, whatever their metadata.
    constant
        For each channel the value that all of its pixels have, None where they differ; an alpha channel is left out.
    nans, infinite
        How many samples are NaN, and how many infinite.
    first
        The first pixel that is not finite as (row, column).
    """

    digest: bytes
    constant: tuple[float | None, ...]
    nans: int = 0
    infinite: int = 0
    first: Shape | None = None


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What is learned of an image.

    Parameters
    ----------
    shape
        (H, W) as stored, not turned by EXIF.
    orientation
        The EXIF orientation, 1 to 8; 1 where there is none.
    stored
        How it lay on disk; None where only the header was read.
    pixels
        None where only the header was read.
    """

    shape: Shape
    orientation: int = 1
    stored: Storage | None = None
    pixels: PixelFacts | None = None

    @property
    def displayed(self) -> Shape:
        """(H, W) as a viewer that obeys EXIF shows it: orientations 5 to 8 swap the sides."""
        return self.shape[::-1] if self.orientation >= 5 else self.shape


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What is kept of a mask and its image.

    Parameters
    ----------
    mask, image
        Their names, each relative to its own root.
    shape
        (H, W) of the mask.
    facts
        Of the image.
    ids
        The ids of the mask; empty where it holds no exact ids.
    content
        A digest that is equal where two masks hold equal labels; None where the mask holds no exact ids.
    """

    mask: str
    image: str
    shape: Shape
    facts: ImageFacts
    ids: tuple[int, ...] = ()
    content: bytes | None = None

    @property
    def fit(self) -> Fit:
        """How the size of the mask relates to that of the image; see `fit`."""
        return fit(self.shape, self.facts.shape, self.facts.orientation)


def fit(mask: Shape, stored: Shape, orientation: int = 1) -> Fit:
    """How the size of a mask relates to that of its image.

    Parameters
    ----------
    mask, stored
        (H, W) of the mask, and of the image as stored.
    orientation
        EXIF orientation of the image.

    Returns
    -------
    str
        ``"equal"``. ``"either"``, ``"stored"``, ``"displayed"``: the image is turned or mirrored by EXIF, and the mask has the size of
        both views, or of one. ``"transposed"``: height and width swapped, and EXIF does not say why. ``"margin"``: a few pixels more or
        less. ``"scaled"``: the same proportions. ``"other"``.
    """
    displayed = stored[::-1] if orientation >= 5 else stored
    if mask in (stored, displayed):
        if orientation == 1:
            return "equal"
        return "either" if stored == displayed else "stored" if mask == stored else "displayed"
    if mask == stored[::-1]:
        return "transposed"
    views = {stored, displayed}
    if any(_within_margin(mask, view) for view in views):
        return "margin"
    return "scaled" if any(_proportional(mask, view) for view in views) else "other"


def _within_margin(mask: Shape, image: Shape) -> bool:
    return all(abs(a - b) <= min(_MARGIN, _MARGIN_SHARE * b) for a, b in zip(mask, image, strict=True))


def _proportional(mask: Shape, image: Shape) -> bool:
    """Whether one is the other at another scale, up to rounding to whole pixels or half a percent."""
    return abs(mask[0] - mask[1] * image[0] / image[1]) <= max(1, _ASPECT * mask[0]) or \
        abs(mask[1] - mask[0] * image[1] / image[0]) <= max(1, _ASPECT * mask[1])


@dataclass(frozen=True, slots=True)
class ImageSet:
    """What was learned of the images beside the masks.

    Parameters
    ----------
    root
        The folder of the images as the user wrote it.
    pairing
        Which mask belongs to which image.
    images
        The facts of each image that was read, by its name.
    pairs
        One for each pair of which both sides were read.
    unreadable
        How many images could not be read.
    """

    root: str
    pairing: Pairing
    images: Mapping[str, ImageFacts] = field(default_factory=FrozenDict)
    pairs: tuple[PairFacts, ...] = ()
    unreadable: int = 0

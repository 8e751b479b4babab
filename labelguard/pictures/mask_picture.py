"""A mask in the colors of its classes, over its image, with what was found outlined."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels.factorize import factorize
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.outline import outline, rectangle, ring
from labelguard.pictures.palette import HATCH_COLOR
from labelguard.pictures.picture import Picture
from labelguard.pictures.scaling import shown_image, shown_labels, shown_shape
from labelguard.text import id_ranges

_ALPHA = 0.55      # of the colors over an image; borders between ids are opaque
_THIN = 0.2        # of the background, so that the image is seen
_STRIPE = 3        # pixels of the picture: width of the stripes of a hatch
_ASPECT = 50       # one part in so many may the proportions of image and mask be apart for one to be shown over the other
SIZE = 480


def mask_picture(labels: NDArray[np.integer], colors: ClassColors | None = None, *, image: NDArray[np.uint8] | None = None,
                 outlined: Collection[int] = (), at: tuple[int, int] | None = None, box: tuple[int, int, int, int] | None = None,
                 size: int = SIZE) -> Picture:
    """Show a mask.

    Parameters
    ----------
    labels
        (H, W), any integer type.
    colors
        What color each id has.
    image
        (H, W, 3) uint8, the photograph below it, of any size with the same proportions (`labelguard.pictures.scaling.as_photograph`
        makes one of samples); without it, or where the proportions differ, colors are opaque.
    outlined
        Ids that are outlined: each of their pixels shows, however far the picture is shrunk, and what is small gets a ring.
    at
        A pixel of the mask, (row, column), that gets a ring.
    box
        (row0, column0, row1, column1) of the mask, the ends exclusive, that gets a frame.
    size
        The longer side of the picture in pixels. Larger masks are shrunk, each pixel taking an id that is there; smaller ones are
        enlarged by the largest whole factor that fits.

    Returns
    -------
    Picture
    """
    colors = colors or ClassColors()
    shape = shown_shape((labels.shape[0], labels.shape[1]), size)
    shown = shown_labels(labels, shape, outlined)
    under = shown_image(image, shape) if image is not None and same_proportions(image.shape, labels.shape) else None
    pixels = _painted(shown, colors, under)
    marked = np.isin(shown, [*outlined]) if outlined else np.zeros(shape, np.bool_)
    if marked.any():
        outline(pixels, marked)
    if box is not None:
        rectangle(pixels, _scaled(box, labels.shape, shape))
    if at is not None:
        row, column, end, right = _scaled((at[0], at[1], at[0] + 1, at[1] + 1), labels.shape, shape)
        ring(pixels, (row + end - 1) // 2, (column + right - 1) // 2)
    there = f", {id_ranges(np.unique(shown[marked]).tolist())} outlined" if marked.any() else ""
    over = " over its image" if under is not None else ""
    return Picture(pixels, f"A mask of {labels.shape[0]} x {labels.shape[1]} pixels in the colors of its ids{over}{there}.",
                   under is not None)


def same_proportions(image: tuple[int, ...], mask: tuple[int, ...]) -> bool:
    """Whether an image of a size can be shown below a mask of another."""
    return _ASPECT * abs(image[0] * mask[1] - image[1] * mask[0]) <= image[1] * mask[0]


def _painted(shown: NDArray[np.integer], colors: ClassColors, under: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """The labels of a picture as its pixels, over a photograph."""
    codes, size, ids = factorize(shown)
    present = np.flatnonzero(np.bincount(codes.ravel(), minlength=size))
    labels = (present if ids is None else ids[present]).tolist()
    table, void = np.zeros((size, 3), np.uint8), np.zeros(size, np.bool_)
    table[present], void[present] = colors.table(labels), [colors.role(label) == "void" for label in labels]
    pixels: NDArray[np.uint8] = table[codes]
    if void.any():
        rows, columns = np.ogrid[:shown.shape[0], :shown.shape[1]]
        pixels[void[codes] & ((rows + columns) // _STRIPE % 2 == 0)] = HATCH_COLOR
    if under is not None:
        alphas = np.full(size, _ALPHA, np.float32)
        alphas[present] = [_THIN if label == colors.spec.background_id else _ALPHA for label in labels]
        alpha = alphas[codes]
        alpha[_borders(shown)] = 1
        mixed = under + (pixels.astype(np.float32) - under) * alpha[:, :, np.newaxis]
        pixels = (mixed + 0.5).astype(np.uint8)
    return pixels


def _borders(shown: NDArray[np.integer]) -> NDArray[np.bool_]:
    """The pixels whose right or lower neighbor has another id."""
    borders = np.zeros(shown.shape, np.bool_)
    borders[:-1] |= shown[:-1] != shown[1:]
    borders[:, :-1] |= shown[:, :-1] != shown[:, 1:]
    return borders


def _scaled(box: tuple[int, int, int, int], labels: tuple[int, ...], shape: tuple[int, int]) -> tuple[int, int, int, int]:
    """The pixels of the picture that those of a box of the mask fall on."""
    row0, column0, row1, column1 = box
    return (row0 * shape[0] // labels[0], column0 * shape[1] // labels[1],
            -(-row1 * shape[0] // labels[0]), -(-column1 * shape[1] // labels[1]))

"""The images that belong to the masks, for a probe that goes through a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.files.exif import as_displayed
from labelguard.files.image import as_colors, decode_image
from labelguard.files.image_folder import ImageFolder
from labelguard.files.read import read_bytes
from labelguard.lossprobe.batch_plan import MaskContents

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class NetworkImages:
    """Images that fit their masks.

    Parameters
    ----------
    folder
        The images, and their pairing with the masks.
    masks
        The masks whose image can be read and has their size.
    left_out
        The names of the other masks, and why each is left out.
    """

    folder: ImageFolder
    masks: tuple[MaskContents, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    def batch(self, members: Sequence[int]) -> Pixels:
        """The images of some masks, (N, H, W, 3) in RGB."""
        return np.stack([self._read(self.masks[member]) for member in members])

    def _read(self, mask: MaskContents) -> Pixels:
        return read_rgb(self.folder.of_mask[mask.name][0], mask.shape)


class ImageMismatchError(Exception):
    """An image does not have the size of its mask."""


def network_images(folder: ImageFolder, masks: Sequence[MaskContents]) -> NetworkImages:
    """The images of some masks, each of which is decoded once to see whether it can be used.

    Raises
    ------
    IncompleteError
        When no mask has an image that can be used.
    """
    fitting: list[MaskContents] = []
    left_out: list[tuple[str, str]] = []
    for mask in masks:
        if why := _objection(folder, mask):
            left_out.append((mask.name, why))
        else:
            fitting.append(mask)
    if not fitting:
        name, why = left_out[0]
        raise IncompleteError(f"No mask has an image in '{folder.root}' that can be used; the first is '{name}': {why}.")
    return NetworkImages(folder, tuple(fitting), tuple(left_out))


def read_rgb(path: str, shape: tuple[int, int]) -> Pixels:
    """An image in RGB, (H, W, 3): turned as EXIF says where the mask has the size of that view, otherwise as stored.

    Parameters
    ----------
    path
        The file.
    shape
        (H, W) of the mask.

    Raises
    ------
    UnreadableMaskError
        When the file cannot be decoded, or is too large.
    ImageMismatchError
        When no view of the image has the size of the mask.
    """
    samples, facts = decode_image(read_bytes(path), path)
    if facts.stored is not None:
        samples = as_colors(samples, facts.stored)
    if facts.displayed == shape:
        return _as_rgb(as_displayed(samples, facts.orientation))
    if facts.shape == shape:
        return _as_rgb(samples)
    height, width = facts.displayed
    raise ImageMismatchError(f"its image is {height} x {width}, the mask {shape[0]} x {shape[1]}")


def _objection(folder: ImageFolder, mask: MaskContents) -> str:
    """Why the image of a mask cannot be used; empty where it can."""
    if mask.name not in folder.of_mask:
        return "it has no image"
    path = folder.of_mask[mask.name][0]
    try:
        read_rgb(path, mask.shape)
    except UnreadableMaskError as problem:
        return f"its image '{path}' cannot be read ({problem})"
    except ImageMismatchError as problem:
        return str(problem)
    return ""


def _as_rgb(samples: NDArray[Any]) -> Pixels:
    """Samples (H, W) or (H, W, C) of any type as 8-bit RGB (H, W, 3); alpha is dropped, gray is repeated."""
    planes = samples[:, :, None] if samples.ndim == 2 else samples
    planes = planes[:, :, :3] if planes.shape[2] >= 3 else planes[:, :, :1].repeat(3, axis=2)
    if planes.dtype.kind == "f":
        planes = np.nan_to_num(planes).clip(0, 1) * 255
    elif planes.dtype.kind == "b":
        planes = planes * np.uint8(255)
    elif planes.dtype.itemsize > 1:
        planes = planes.clip(0, None) // (np.iinfo(planes.dtype).max // 255)
    return np.ascontiguousarray(planes.astype(np.uint8))

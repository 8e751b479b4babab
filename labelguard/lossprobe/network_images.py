"""The images that belong to the masks, for a probe that goes through a network."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelguard.errors import IncompleteError
from labelguard.files.find import find
from labelguard.lossprobe.batch_plan import MaskContents
from labelguard.pairing.by_name import pair


class NetworkImages:
    """Images, paired with masks by name.

    Parameters
    ----------
    folder
        Where they lie.
    masks
        What they belong to.

    Attributes
    ----------
    folder : str
        Where they lie.
    rule : str
        The rule that pairs them.
    masks : list of Contents
        The masks that have an image of their size, in the same order.
    left_out : list of (str, str)
        The others, and why.

    Raises
    ------
    IncompleteError
        When no mask has an image.
    """

    def __init__(self, folder: str | os.PathLike[str], masks: Sequence[MaskContents]) -> None:
        found = find([folder])
        paths = {name: path for path, name in found.files}
        pairing = pair([mask.name for mask in masks], list(paths))
        partner = dict(pairing.pairs)
        self.folder, self.rule = os.fspath(folder), pairing.rule
        self.masks: list[MaskContents] = []
        self.left_out: list[tuple[str, str]] = []
        self._paths: list[str] = []
        for mask in masks:
            if why := _objection(paths[partner[mask.name]], mask) if mask.name in partner else "it has no image":
                self.left_out.append((mask.name, why))
            else:
                self.masks.append(mask)
                self._paths.append(paths[partner[mask.name]])
        if not self.masks:
            name, why = self.left_out[0]
            raise IncompleteError(f"No mask has an image in '{os.fspath(folder)}' that goes with it; the first is '{name}': {why}.")

    def batch(self, members: Sequence[int]) -> NDArray[np.uint8]:
        """The images of some masks, (N, H, W, 3) in RGB."""
        return np.stack([_read(self._paths[member]) for member in members])


def _objection(path: str, mask: MaskContents) -> str:
    """Why an image cannot go with a mask; empty where it can."""
    try:
        with Image.open(path) as image:
            size = (image.height, image.width)
            image.load()
    except Exception as problem:  # Pillow raises what it likes on damaged files
        return f"its image '{path}' cannot be read ({problem})"
    if size != mask.shape:
        return f"its image is {size[0]} x {size[1]}, the mask {mask.shape[0]} x {mask.shape[1]}"
    return ""


def _read(path: str) -> NDArray[np.uint8]:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))

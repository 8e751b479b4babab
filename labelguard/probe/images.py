"""The images that belong to the masks, for a probe that goes through a network."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelguard.errors import CannotComplete
from labelguard.files.find import find
from labelguard.pairing import pair
from labelguard.probe.batches import Contents


class Images:
    """Images, paired with masks by name.

    Parameters
    ----------
    folder
        Where they lie.
    masks
        What they belong to; those without an image are left out of `masks` and listed in `without`.

    Raises
    ------
    CannotComplete
        When no mask has an image.
    """

    def __init__(self, folder: str | os.PathLike[str], masks: Sequence[Contents]) -> None:
        found = find([folder])
        paths = {name: path for path, name in found.files}
        pairing = pair([mask.name for mask in masks], list(paths))
        if not pairing.pairs:
            raise CannotComplete(f"No mask has an image in '{os.fspath(folder)}': no name there goes with '{masks[0].name}'.")
        self.rule = pairing.rule
        partner = dict(pairing.pairs)
        self.without = tuple(mask.name for mask in masks if mask.name not in partner)
        self.masks = [mask for mask in masks if mask.name in partner]
        self._paths = [paths[partner[mask.name]] for mask in self.masks]

    def batch(self, members: Sequence[int]) -> NDArray[np.uint8]:
        """The images of some masks, (N, H, W, 3) in RGB, at the size of the masks.

        Raises
        ------
        CannotComplete
            When one cannot be read, or has another size than its mask.
        """
        return np.stack([self._read(member) for member in members])

    def _read(self, member: int) -> NDArray[np.uint8]:
        path, mask = self._paths[member], self.masks[member]
        try:
            with Image.open(path) as image:
                pixels = np.asarray(image.convert("RGB"))
        except Exception as problem:  # Pillow raises what it likes on damaged files
            raise CannotComplete(f"The image '{path}' cannot be read: {problem}. Leave it out, or mend it.") from None
        if pixels.shape[:2] != mask.shape:
            raise CannotComplete(f"The image '{path}' is {pixels.shape[0]} x {pixels.shape[1]}, its mask '{mask.name}' "
                                 f"{mask.shape[0]} x {mask.shape[1]}; a network cannot be probed on such a pair.")
        return pixels

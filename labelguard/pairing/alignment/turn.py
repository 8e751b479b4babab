"""Turns: the flips, rotations and transpositions that masks may have gone through without their images."""

from __future__ import annotations

from enum import Enum
from typing import Any

from numpy.typing import NDArray


class Turn(Enum):
    """What has happened to masks.

    The value says how to turn them back: whether to exchange rows and columns, and then the steps in which to take rows and columns.
    """

    FLIPPED_HORIZONTALLY = (False, 1, -1)
    FLIPPED_VERTICALLY = (False, -1, 1)
    ROTATED_180 = (False, -1, -1)
    TRANSPOSED = (True, 1, 1)
    ROTATED_LEFT = (True, 1, -1)
    ROTATED_RIGHT = (True, -1, 1)
    TRANSPOSED_AND_ROTATED_180 = (True, -1, -1)

    @property
    def swaps_sides(self) -> bool:
        """Whether height and width are exchanged."""
        swaps, _, _ = self.value
        return swaps

    @property
    def words(self) -> str:
        """What completes "the masks are ..."."""
        return _WORDS[self]

    def undone(self, masks: NDArray[Any]) -> NDArray[Any]:
        """Masks that this has happened to, turned back; a view.

        Parameters
        ----------
        masks
            (..., H, W) array.
        """
        swaps, down, right = self.value
        return (masks.swapaxes(-1, -2) if swaps else masks)[..., ::down, ::right]


_WORDS = {
    Turn.FLIPPED_HORIZONTALLY: "flipped horizontally",
    Turn.FLIPPED_VERTICALLY: "flipped vertically",
    Turn.ROTATED_180: "rotated by 180 degrees",
    Turn.TRANSPOSED: "transposed",
    Turn.ROTATED_LEFT: "rotated by 90 degrees to the left",
    Turn.ROTATED_RIGHT: "rotated by 90 degrees to the right",
    Turn.TRANSPOSED_AND_ROTATED_180: "transposed and rotated by 180 degrees",
}

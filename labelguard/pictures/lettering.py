"""Text in pictures, in the font that comes with Pillow."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

INK, PAPER, PALE = (24, 26, 32), (255, 255, 255), (104, 110, 122)


@lru_cache(maxsize=16)
def font(size: int) -> Any:
    """The font, at a height in pixels."""
    from PIL import ImageFont
    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> int:
    """How wide a text is, in pixels."""
    return int(np.ceil(font(size).getlength(text)))


def fitting(text: str, size: int, width: int) -> str:
    """The text, or as much of its beginning and end as a width in pixels has room for."""
    if text_width(text, size) <= width:
        return text
    low, high = 1, len(text)
    while low + 1 < high:  # the longest that fits
        middle = (low + high) // 2
        low, high = (middle, high) if text_width(_cut(text, middle), size) <= width else (low, middle)
    return _cut(text, low)


def _cut(text: str, kept: int) -> str:
    return f"{text[:(kept + 1) // 2]}...{text[len(text) - kept // 2:]}"


class Canvas:
    """A picture to draw upon.

    Parameters
    ----------
    height, width
        In pixels.
    """

    def __init__(self, height: int, width: int) -> None:
        from PIL import Image
        from PIL.ImageDraw import Draw
        self._image = Image.new("RGB", (width, height), PAPER)
        self.draw: ImageDraw = Draw(self._image)

    def write(self, row: float, column: float, text: str, size: int, color: tuple[int, int, int] = INK, anchor: str = "lm") -> None:
        """Write a text at a place; `anchor` says which part of it is there, as Pillow names anchors."""
        self.draw.text((column, row), text, color, font(size), anchor)

    def put(self, row: int, column: int, pixels: NDArray[np.uint8]) -> None:
        """Put a picture down, its upper left corner at a place."""
        from PIL import Image
        self._image.paste(Image.fromarray(pixels), (column, row))

    def pixels(self) -> NDArray[np.uint8]:
        """(H, W, 3), a copy."""
        return np.array(self._image)

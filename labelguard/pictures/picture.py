"""Picture: pixels, what is seen on them in words, and the smallest file that holds them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels.factorize import rank

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_PALETTE = 256
_QUALITY = 84  # of WebP, where a photograph is in it
_EFFORT = 60   # of WebP, where nothing is lost


class Encoded(NamedTuple):
    """A picture as a file: its media type, such as ``image/png``, and its bytes."""

    media_type: str
    data: bytes


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """Pixels to be looked at.

    Parameters
    ----------
    pixels
        (H, W, 3) uint8, red, green and blue.
    alt
        What is seen on it in a sentence, for whom cannot see it; it may hold names of classes, which are to be escaped in HTML.
    photograph
        Whether a photograph is in it, which may be stored with small losses; all else is stored exactly.
    """

    pixels: NDArray[np.uint8]
    alt: str = ""
    photograph: bool = False

    @property
    def height(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[1])

    def png(self, text: Mapping[str, str] | None = None) -> bytes:
        """A PNG of exactly these pixels, with a palette where 256 colors suffice; the same bytes each time.

        Parameters
        ----------
        text
            What is written into its text chunks, by keyword; they come before all pixels.
        """
        from PIL.PngImagePlugin import PngInfo
        chunks = PngInfo()
        for keyword, words in (text or {}).items():
            chunks.add_text(keyword, words)
        file = BytesIO()
        indexed = self._indexed()
        indexed.save(file, "PNG", optimize=indexed.mode == "P", pnginfo=chunks)  # a photograph takes eight times as long for 5 %
        return file.getvalue()

    def smallest(self) -> Encoded:
        """The file for a page: WebP, which takes two thirds of a PNG of such pictures, and half of its time; PNG where Pillow has none."""
        from PIL import Image, features
        if not features.check("webp"):
            return Encoded("image/png", self.png())
        file = BytesIO()
        quality = _QUALITY if self.photograph else _EFFORT
        Image.fromarray(self.pixels).save(file, "WEBP", lossless=not self.photograph, quality=quality, method=2)
        return Encoded("image/webp", file.getvalue())

    def data_uri(self) -> str:
        """The smallest file as the ``src`` of an image in HTML."""
        media_type, data = self.smallest()
        return f"data:{media_type};base64,{b64encode(data).decode()}"

    def __repr__(self) -> str:
        return f"Picture({self.height} x {self.width}: {self.alt})"

    def _repr_png_(self) -> bytes:
        return self.png()

    def _indexed(self) -> Image:
        """The pixels for Pillow: indices and a palette, ordered by color, or colors where there are too many."""
        from PIL import Image
        red, green, blue = (self.pixels[:, :, channel].astype(np.uint32) for channel in range(3))
        codes, size, colors = rank(red << 16 | green << 8 | blue)
        if size > _MOST_PALETTE:
            return Image.fromarray(self.pixels)
        indexed = Image.fromarray(codes.astype(np.uint8))
        indexed.putpalette(np.stack([colors >> 16, colors >> 8 & 255, colors & 255], 1).astype(np.uint8).tobytes())
        return indexed

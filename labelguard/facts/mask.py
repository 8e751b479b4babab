"""Mask: the labels of one image; Storage: how they lay on disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Channels = Literal["grey", "palette", "grey-alpha", "rgb", "rgba", "other"]


@dataclass(frozen=True, slots=True)
class Storage:
    """How a mask lay on disk.

    Parameters
    ----------
    format
        Name of the container as found in the bytes, whatever the suffix says: ``"png"``, ``"tiff"``, ...
    channels
        What a pixel holds. A palette file's labels are its indices.
    bits
        Bits of one sample.
    kind
        ``"u"`` for unsigned and ``"i"`` for signed integers, ``"f"`` for floats, ``"b"`` for truth values.
    lossy
        Whether the codec changes pixel values (JPEG and its kin).
    pages
        How many images the file holds; labels are those of the first.
    palette
        The colors of a palette file as bytes R, G, B, R, G, B, ...; None for others.
    codec
        The compression, in words, where the format has several.
    wrong_suffix
        The suffix of the file name where it belongs to another format, else empty.
    orientation
        How the file asks to be turned, as EXIF numbers it, 1 to 8; 1 where it does not.
    white_is_zero
        Whether a TIFF says that its grey levels run from white to black (MinIsWhite).
    """

    format: str
    channels: Channels = "grey"
    bits: int = 8
    kind: str = "u"
    lossy: bool = False
    pages: int = 1
    palette: bytes | None = None
    codec: str = ""
    wrong_suffix: str = ""
    orientation: int = 1
    white_is_zero: bool = False

    @property
    def encoding(self) -> str:
        """Format and layout in words, such as ``png, 8-bit grey``; equal for files that readers treat alike."""
        return f"{self.format}, {self.layout}"

    @property
    def layout(self) -> str:
        """Pixel type and channels in words, such as ``8-bit grey``.

        The depth of a palette file is left out: writers choose it by content, and no reader cares.
        """
        return _layout(self.channels, self.bits, self.kind)


@cache  # few files are stored in their own way
def _layout(channels: Channels, bits: int, kind: str) -> str:
    if channels == "palette":
        return "palette"
    sample = {"f": f"{bits}-bit float", "i": f"{bits}-bit signed", "b": "1-bit"}.get(kind, f"{bits}-bit")
    return f"{sample} {channels}"


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """The labels of one image.

    Parameters
    ----------
    labels
        Array of shape (H, W), of any integer type or of truth values. What the mask holds is a read-only view of it, not a copy.
    name
        What to call it in messages: a path, or an index of a data set.
    stored
        How it lay on disk; None for a mask that never did.

    Raises
    ------
    TypeError
        When `labels` is not such an array.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(Mask(np.array([[0, 1, 255]], np.uint8)))
    array([[  0,   1, 255]], dtype=uint8)
    """

    labels: NDArray[np.integer]
    name: str = ""
    stored: Storage | None = None

    def __post_init__(self) -> None:
        labels: Any = self.labels
        if not isinstance(labels, np.ndarray):
            raise TypeError(f"The labels of a mask must be a numpy array, not {type(labels).__name__}; np.asarray makes one.")
        if labels.dtype.kind not in "iub":
            raise TypeError(f"The labels of a mask must be integers; these are {labels.dtype}.")
        if labels.ndim != 2:
            raise TypeError(f"The labels of a mask must have the shape (H, W); these have the shape {labels.shape}.")
        if labels.flags.writeable:
            view = labels.view()
            view.flags.writeable = False
            object.__setattr__(self, "labels", view)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The labels, so that ``np.asarray(mask)`` is the (H, W) array; read-only unless it is a copy."""
        labels: NDArray[Any] = self.labels
        if dtype is None or labels.dtype == dtype:
            return labels.copy() if copy else labels
        if copy is False:
            raise ValueError(f"The labels are {labels.dtype}; as {np.dtype(dtype)} they would have to be copied.")
        return labels.astype(dtype)

    def _repr_html_(self) -> str | None:
        """The mask as a notebook shows it: in colors, with a legend; None where there is no pixel to show."""
        if not self.labels.size:
            return None
        from labelguard.pictures.legend import legend
        from labelguard.pictures.mask_picture import mask_picture
        from labelguard.pictures.notebook import figure_html
        ids, pixels = np.unique(self.labels, return_counts=True)
        stored = self.labels.dtype if self.stored is None else self.stored.encoding
        title = f"{self.name or 'mask'}: {self.labels.shape[0]} x {self.labels.shape[1]} pixels, {stored}"
        return figure_html(title, [mask_picture(self.labels)], legend(dict(zip(ids.tolist(), pixels.tolist(), strict=True))))

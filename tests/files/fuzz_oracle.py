"""What independent decoders make of a file, as label ids; nothing where they refuse it, warn about it, or give colors.

A decoder that follows another convention is held to that: Pillow stretches grey levels of 2 and 4 bits and inverts MinIsWhite, and
OpenCV does both for 1 bit too and paints palettes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.mask import Storage

Labels = NDArray[Any]


def readings(data: bytes, labels: Labels, stored: Storage) -> dict[str, bool]:
    """For each decoder that reads a file, whether it agrees.

    Parameters
    ----------
    data
        The whole file.
    labels, stored
        What labelguard believes of it.
    """
    found: dict[str, bool] = {}
    for name, decode in _DECODERS.items():
        with _quiet(), warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("error")
            given = decode(data, labels, stored)
            if given is not None:
                found[name] = any(given.shape == form.shape and np.array_equal(given, form) for form in _forms(labels, stored, name))
    return found


def _forms(labels: Labels, stored: Storage, decoder: str) -> Iterator[Labels]:
    """The labels as a decoder may show them."""
    yield labels
    if decoder == "OpenCV" and stored.palette is not None:
        painted = np.frombuffer(stored.palette, np.uint8).reshape(-1, 3)[labels.astype(np.intp)]
        yield painted
        yield painted[:, :, 0]
        if stored.format == "gif":  # the transparent color is black
            yield from (painted * (labels != label)[:, :, None] for label in np.unique(labels))
    if decoder in ("numpy", "tifffile"):
        return
    top = 1 << stored.bits
    if stored.channels == "grey" and stored.bits < 8 and stored.format in ("png", "tiff", "bmp"):
        yield labels.astype(np.int64) * 255 // (top - 1)
    if stored.white_is_zero:
        inverted = top - 1 - labels.astype(np.int64)
        yield inverted
        yield inverted * 255 // (top - 1)
    if stored.bits == 16 and stored.format in ("png", "tiff") and stored.channels != "grey":
        yield labels >> 8
    if stored.kind == "i" and stored.bits == 8:
        yield labels.view(np.uint8)
    if stored.kind == "u" and stored.bits == 32:
        yield labels.view(np.int32)


def _pillow(data: bytes, labels: Labels, stored: Storage) -> Labels | None:
    from PIL import Image
    with Image.open(BytesIO(data)) as image:
        if image.mode in ("P", "L", "1", "I", "F") or image.mode.startswith("I;16"):
            return np.asarray(image)
        return _one_channel(np.asarray(image), stored) if image.mode in ("RGB", "RGBA", "LA") else None


def _opencv(data: bytes, labels: Labels, stored: Storage) -> Labels | None:
    import cv2
    if b"acTL" in data:  # of an animation, it shows the first frame, whether there is one or not
        return None
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if stored.palette is not None and 3 * int(labels.max()) >= len(stored.palette):  # it has no color to show for an index
        return None
    if image is not None and stored.palette is not None:
        return image[:, :, 2::-1] * (image[:, :, 3:] > 0 if image.shape[2] == 4 else 1) if image.ndim == 3 else image
    return None if image is None or (image.ndim == 3 and stored.channels == "grey") else _one_channel(image, stored)


def _tifffile(data: bytes, labels: Labels, stored: Storage) -> Labels | None:
    if stored.format != "tiff":
        return None
    import tifffile

    from labelguard.files.exif import as_displayed
    complaints = _Complaints()
    logging.getLogger("tifffile").addHandler(complaints)
    try:
        with tifffile.TiffFile(BytesIO(data), is_lsm=False, is_ndpi=False, is_scanimage=False) as file:
            page = file.pages.first
            array = page.asarray(squeeze=False, maxworkers=1)
    finally:
        logging.getLogger("tifffile").removeHandler(complaints)
    if complaints.heard:
        return None
    array = array[:, 0]
    array = np.moveaxis(array[..., 0], 0, -1) if array.shape[0] > 1 else array[0]
    return as_displayed(_one_channel(array, stored), stored.orientation)


def _numpy(data: bytes, labels: Labels, stored: Storage) -> Labels | None:
    if stored.format != "npy":
        return None
    array = np.load(BytesIO(data), allow_pickle=False)
    if array.ndim == 3 and array.shape[2] == 1:
        return array[:, :, 0]
    if array.ndim == 3 and array.shape[0] == 1 and array.shape[2] > 4:
        return array[0]
    return _one_channel(array, stored)


_DECODERS: dict[str, Callable[[bytes, Labels, Storage], Labels | None]] = {
    "numpy": _numpy, "Pillow": _pillow, "OpenCV": _opencv, "tifffile": _tifffile}


def _one_channel(array: Labels, stored: Storage) -> Labels | None:
    """One of several color channels that are equal, as labelguard takes them."""
    if array.ndim == 2:
        return array
    paint = array[:, :, :-1] if array.shape[2] in (2, 4) and stored.channels in ("rgba", "grey-alpha") else array
    return paint[:, :, 0] if (paint == paint[:, :, :1]).all() else None


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard = False

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        self.heard = True


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Send what native code prints to nowhere."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)

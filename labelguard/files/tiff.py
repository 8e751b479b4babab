"""TIFF: the first page, through tifffile and, for most codecs, imagecodecs."""

from __future__ import annotations

import logging
import math
import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels, Storage
from labelguard.files import _ifd, _segments
from labelguard.files._boundary import in_words
from labelguard.files._segments import CODECS, JPEG
from labelguard.files.limits import check_size
from labelguard.files.memory import take

if TYPE_CHECKING:
    from tifffile import TiffPage

NAME = "tiff"
SUFFIXES = (".tif", ".tiff")

_RGB, _PALETTE, _YCBCR = 2, 3, 6
_ALPHA = (1, 2)
_SHAPED = re.compile(r'^(?:\{"shape": |shape=)[\[(]([\d, ]{1,99})[\])]')
# Readers of whole acquisitions that tifffile starts by itself; the first page needs none of them.
_NO_VENDORS: dict[str, Any] = {"is_lsm": False, "is_ndpi": False, "is_scanimage": False}


def matches(head: bytes) -> bool:
    """Whether the first bytes are those of a TIFF or BigTIFF, of either byte order."""
    return head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def decode(data: bytes) -> tuple[NDArray[Any], Storage]:
    """Read the first page of a TIFF.

    Parameters
    ----------
    data
        The whole file.

    Returns
    -------
    array
        (H, W) or (H, W, C), the stored samples in native byte order and their own type: bool for 1 bit, palette indices for a
        palette file, MinIsWhite not inverted. JPEG's YCbCr is given as RGB. Of a page with several planes in depth, the first.
    stored
        How they lay on disk. `pages` counts full pages, planes in depth, and the slices that ImageJ and tifffile keep behind
        a single directory.

    Raises
    ------
    UnreadableMaskError
        When the file is cut or damaged, claims more than the limits allow, needs a codec that is not installed, or holds
        samples that are not numbers of one type.
    """
    with in_words("the TIFF's tags"):
        directory = _ifd.walk(data)
    try:
        import tifffile
    except ImportError:
        raise UnreadableMaskError("is a TIFF, and the package tifffile, which reads it, is not installed: pip install tifffile") from None
    _hush(logging.getLogger("tifffile"))
    with in_words("the TIFF's pixels"), tifffile.TiffFile(BytesIO(data), **_NO_VENDORS) as file:
        page = file.pages.first
        _check_kind(page)
        lossy = _segments.check(page, data, stacked=_slices(page) > 1)
        array = _pixels(page, data)
        palette = _palette(page) if page.photometric == _PALETTE else None
        return array, Storage(NAME, _channels(page), page.bitspersample, array.dtype.kind, lossy, _pages(page, directory, data),
                             palette, CODECS[page.compression])


def _hush(logger: logging.Logger) -> None:
    """Keep a library's complaints off stderr where logging is not set up; where it is, they still arrive."""
    if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        logger.addHandler(logging.NullHandler())


def _check_kind(page: TiffPage) -> None:
    """Refuse samples that are not plain numbers, codecs that are unknown, and sizes beyond the limits."""
    if page.compression not in CODECS:
        raise UnreadableMaskError(f"uses compression {int(page.compression)}, which labelguard does not know")
    if page.sampleformat in (5, 6):
        raise UnreadableMaskError("holds complex numbers, which are not labels")
    if page.dtype is None or not isinstance(page.bitspersample, int):
        raise UnreadableMaskError(f"claims samples of {page.bitspersample} bits in sample format {page.sampleformat}; "
                             "one whole or floating type for all is needed")
    planes, depth, height, width, samples = page.shaped
    copies = 2 if planes > 1 else 1  # separate planes are gathered
    take(check_size((height, width, planes * depth * samples), copies * page.dtype.itemsize))


def _pixels(page: TiffPage, data: bytes) -> NDArray[Any]:
    """The samples of the first plane, (H, W) or (H, W, C)."""
    if page.is_contiguous:
        whole = page.asarray(squeeze=False, maxworkers=1)
    else:
        whole = np.zeros(page.shaped, page.dtype)
        for index in range(math.prod(page.chunked)):
            _segments.decode(page, data, index, whole)
    first: NDArray[Any] = whole[:, 0]
    first = np.moveaxis(first[..., 0], 0, -1) if first.shape[0] > 1 else first[0]
    if first.shape[2] == 1:
        first = first[:, :, 0]
    return np.ascontiguousarray(first, first.dtype.newbyteorder("="))


def _channels(page: TiffPage) -> Channels:
    """What a pixel holds."""
    samples, alpha = page.samplesperpixel, len(page.extrasamples) == 1 and page.extrasamples[0] in _ALPHA
    if samples == 1:
        return "palette" if page.photometric == _PALETTE else "grey"
    if page.photometric == _RGB or (page.photometric == _YCBCR and page.compression in JPEG):
        return "rgb" if samples == 3 else "rgba" if samples == 4 and alpha else "other"
    return "grey-alpha" if page.photometric in (0, 1) and samples == 2 and alpha else "other"


def _palette(page: TiffPage) -> bytes:
    """The color map as bytes R, G, B, ...; some writers fill its 16-bit entries with 8-bit levels."""
    colors = page.colormap
    if colors is None:
        raise UnreadableMaskError("says that it has a palette, and has none")
    table = np.asarray(colors)
    return (table if table.max() < 256 else table >> 8).astype(np.uint8).reshape(3, -1).T.tobytes()


def _slices(page: TiffPage) -> int:
    """How many slices a description by ImageJ or tifffile claims for the file."""
    if page.imagej_description is not None:
        found = re.search(r"^images=(\d{1,9})\s*$", page.imagej_description, re.MULTILINE)
        return max(1, int(found[1])) if found else 1
    found = _SHAPED.search(page.shaped_description or "")
    if found is not None:
        return max(1, math.prod(int(side) for side in found[1].split(",") if side.strip()) // page.size)
    return 1


def _pages(page: TiffPage, directory: _ifd.Directory, data: bytes) -> int:
    """Full pages of the file; claimed slices count as far as the file has bytes for them behind its one directory."""
    pages = directory.pages * page.imagedepth
    if directory.pages > 1 or not page.is_contiguous:
        return pages
    return max(pages, min(_slices(page), (len(data) - page.dataoffsets[0]) // page.nbytes))

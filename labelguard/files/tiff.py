"""TIFF: the first page, decoded here, since its decoders in C have ended processes over damaged files; see `_codecs` for what is read."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Storage
from labelguard.files import _codecs, _foreign, _ifd, _segments
from labelguard.files._boundary import in_words
from labelguard.files._tiff_page import PALETTE, WHITE_IS_ZERO, Page, page_of
from labelguard.files.not_decoded import NotDecodedError

NAME = "tiff"
SUFFIXES = (".tif", ".tiff")

_ORIENTATION, _COLOR_MAP, _DESCRIPTION, _NO_DATA = 274, 320, 270, 42113
_MAX_LOOK = 1 << 16  # bytes in which a codec says whether it is lossy
_IMAGEJ_SLICES = re.compile(rb"^images=(\d{1,9})\s*$", re.MULTILINE)
_SHAPED = re.compile(rb'^(?:\{"shape": |shape=)[\[(]([\d, ]{1,99})[\])]')


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
        palette file, MinIsWhite not inverted, not turned as Orientation says. Of a page with several planes in depth, the first.
    stored
        How they lay on disk. `pages` counts full pages, planes in depth, and the slices that ImageJ and tifffile keep behind
        a single directory.

    Raises
    ------
    UnreadableMaskError
        When the file is cut or damaged, claims more than the limits allow, or holds samples that are not numbers of one type;
        as `NotDecodedError` when it is compressed in a way that no label set has a reason for.
    """
    with in_words("the TIFF's tags"):
        directory = _ifd.walk(data)
        page = page_of(directory)
        if page.compression not in _codecs.CODECS:
            raise UnreadableMaskError(f"uses compression {page.compression}, which labelguard does not know")
        stored = _storage(page, directory, data)
        if page.compression in _foreign.FOREIGN_CODECS:
            shape = (page.width, page.height) if stored.orientation >= 5 else (page.height, page.width)
            raise NotDecodedError(stored, shape, page.dtype.name)
    with in_words("the TIFF's pixels"):
        _segments.check(page, len(data), stacked=_slices(page, directory) > 1)
        array = _segments.decode(page, data, _no_data(directory))
    return (array[:, :, 0] if page.samples == 1 else array), stored


def _storage(page: Page, directory: _ifd.Directory, data: bytes) -> Storage:
    """How a page lies on disk."""
    lossy = False
    if page.compression in _foreign.FOREIGN_CODECS:
        start, count = (int(numbers[0]) if len(numbers) else 0 for numbers in (page.offsets, page.counts))
        lossy = _foreign.is_lossy(page.compression, data[start:start + min(count, _MAX_LOOK)])
    palette = _palette(directory) if page.photometric == PALETTE else None
    return Storage(NAME, page.channels, page.bits, page.dtype.kind, lossy, _pages(page, directory, len(data)), palette,
                   _codecs.CODECS[page.compression], orientation=_orientation(directory),
                   white_is_zero=page.photometric == WHITE_IS_ZERO)


def _orientation(directory: _ifd.Directory) -> int:
    """The Orientation tag, 1 where it is missing or names nothing."""
    value = directory.tags.get(_ORIENTATION, (1,))[0]
    return value if 1 <= value <= 8 else 1


def shape_and_orientation(data: bytes) -> tuple[tuple[int, int], int]:
    """(H, W) as stored, and the Orientation tag.

    Raises
    ------
    UnreadableMaskError
        When the header is damaged.
    """
    directory = _ifd.walk(data)
    return (directory.tags[257][0], directory.tags[256][0]), _orientation(directory)


def _palette(directory: _ifd.Directory) -> bytes:
    """The color map as bytes R, G, B, ...; some writers fill its 16-bit entries with 8-bit levels."""
    table = directory.lists.get(_COLOR_MAP)
    if table is None or len(table) % 3:
        raise UnreadableMaskError("says that it has a palette, and has none")
    return (table if table.max() < 256 else table >> np.uint64(8)).astype(np.uint8).reshape(3, -1).T.tobytes()


def _no_data(directory: _ifd.Directory) -> float:
    """What GDAL says that parts hold which it left out."""
    text = directory.texts.get(_NO_DATA, b"").split(b"\0")[0].strip()
    return (int(text) if re.fullmatch(rb"[+-]?\d+", text) else float(text)) if text else 0


def _slices(page: Page, directory: _ifd.Directory) -> int:
    """How many slices a description by ImageJ or tifffile claims for the file."""
    text = directory.texts.get(_DESCRIPTION, b"")
    if text.startswith(b"ImageJ="):
        found = _IMAGEJ_SLICES.search(text)
        return max(1, int(found[1])) if found else 1
    found = _SHAPED.search(text)
    if found is None:
        return 1
    return max(1, math.prod(int(side) for side in found[1].split(b",") if side.strip()) //
               (page.depth * page.height * page.width * page.samples))


def _pages(page: Page, directory: _ifd.Directory, size: int) -> int:
    """Full pages of the file; claimed slices count as far as the file has bytes for them behind its one directory."""
    pages = directory.pages * page.depth
    contiguous = page.compression == 1 and not page.tiled and len(page.offsets) == len(page.counts) > 0 and \
        bool((page.offsets[1:] == page.offsets[:-1] + page.counts[:-1]).all())
    if directory.pages > 1 or not contiguous:
        return pages
    return max(pages, min(_slices(page, directory), (size - int(page.offsets[0])) // page.bytes))

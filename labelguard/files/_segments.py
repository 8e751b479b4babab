"""The strips and tiles of a TIFF page: checked before they are decoded, decoded one by one so that a fault has a place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.files import _streams
from labelguard.files._boundary import ends_early
from labelguard.files.limits import MAX_BYTES, check_size

if TYPE_CHECKING:
    from tifffile import TiffPage

CODECS = {
    1: "", 2: "CCITT RLE", 3: "CCITT fax 3", 4: "CCITT fax 4", 5: "LZW", 6: "old JPEG", 7: "JPEG", 8: "DEFLATE", 32946: "DEFLATE",
    32773: "PackBits", 33003: "JPEG 2000", 33004: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000", 33007: "JPEG",
    34892: "JPEG", 34887: "LERC", 34925: "LZMA", 34926: "ZSTD", 50000: "ZSTD", 34927: "WebP", 50001: "WebP", 34933: "PNG",
    22610: "JPEG XR", 34934: "JPEG XR", 50002: "JPEG XL", 52546: "JPEG XL",
}
"""What the numbers of the Compression tag that are read stand for."""

JPEG = (6, 7, 33007, 34892)
"""Those of JPEG, whose decoder gives RGB for YCbCr."""


def _segment_shape(page: TiffPage) -> tuple[int, int, int, int]:
    """(depth, height, width, samples) of a full strip or tile."""
    samples = page.shaped[4]
    if page.is_tiled:
        return page.tiledepth, page.tilelength, page.tilewidth, samples
    return 1, page.rowsperstrip, page.imagewidth, samples


def check(page: TiffPage, data: bytes, stacked: bool) -> bool:
    """Check strips or tiles before anything is decoded.

    Parameters
    ----------
    page
        A page of known sample type and size.
    data
        The whole file.
    stacked
        Whether more pages may lie behind the first in the same strip.

    Returns
    -------
    bool
        Whether any of them is lossy, or may be.

    Raises
    ------
    UnreadableMaskError
        When one lies outside the file, all are empty, or they hold more than the page has room for or memory allows.
    """
    name = "tile" if page.is_tiled else "strip"
    shape = _segment_shape(page)
    size = check_size((shape[1], shape[2], shape[0] * shape[3]), page.nbytes // page.size)
    wanted = math.prod(page.chunked)
    # All of them bound the time; the page and one of them in the stages of decoding bound the memory.
    if wanted * size > 2 * MAX_BYTES or (page.compression != 1 and page.nbytes + 3 * size > 2 * MAX_BYTES):
        raise UnreadableMaskError(f"its {wanted} {name}s of {shape[1]} x {shape[2]} pixels take too much to decode: "
                             f"{wanted * size / 1e6:,.0f} MB in all")
    named = min(len(page.dataoffsets), len(page.databytecounts))
    if named < wanted:
        raise UnreadableMaskError(f"names only {named} of its {wanted} {name}s")
    lossy, sparse, stored = False, False, 0
    for offset, count in zip(page.dataoffsets[:wanted], page.databytecounts, strict=False):
        if offset == 0 and count == 0:
            sparse = True  # as GDAL writes a part that holds nothing but the no-data value
            continue
        stored += count
        if offset + count > len(data):
            raise ends_early(offset + count - len(data))
        if page.compression in _streams.FAMILIES:
            lossy |= _check_picture(page, data[offset:offset + count], f"the {name} at byte {offset:,}", shape)
    if not stored:
        raise UnreadableMaskError(f"holds no pixels: every {name} is empty")
    row = math.ceil(shape[2] * shape[3] * page.bitspersample / 8)
    needed = page.shaped[0] * page.shaped[1] * page.shaped[2] * row
    if page.compression == 1 and not page.is_tiled and not sparse and stored < needed:
        raise UnreadableMaskError(f"stores {stored:,} bytes of pixels where its header asks for {needed:,}")
    room = wanted * shape[0] * shape[1] * row
    if page.compression == 1 and stored >= room + row and not stacked:
        raise UnreadableMaskError(f"stores {stored:,} bytes of pixels where its header has room for {room:,}")
    return lossy


def _check_picture(page: TiffPage, stream: bytes, name: str, shape: tuple[int, int, int, int]) -> bool:
    """Check the size of a picture inside a strip or tile; whether it is lossy."""
    check_size(shape[1:3], 16)  # its decoder may make four channels of 16 or 32 bits, whatever the page says
    try:
        found = _streams.picture(page.compression, stream)
    except UnreadableMaskError as error:
        raise UnreadableMaskError(f"{name}, a {CODECS[page.compression]} picture, {error}") from error
    if not 0 < found.height * found.width <= shape[1] * shape[2]:
        raise UnreadableMaskError(f"{name} claims {found.height} x {found.width} pixels, and has room for {shape[1]} x {shape[2]}")
    return found.lossy


def decode(page: TiffPage, data: bytes, index: int, whole: NDArray[Any]) -> None:
    """Decode one strip or tile into its place.

    Parameters
    ----------
    page
        A page that `check` has passed.
    data
        The whole file.
    index
        Which strip or tile.
    whole
        All samples of the page, shape (planes, depth, height, width, samples); written to.

    Raises
    ------
    UnreadableMaskError
        When it cannot be decoded, naming its place and codec.
    """
    offset, count = page.dataoffsets[index], page.databytecounts[index]
    tables = {"jpegtables": page.jpegtables, "jpegheader": page.jpegheader} if page.compression in JPEG else {}
    try:
        stream = data[offset:offset + count] if count else None
        pixels, (plane, depth, top, left, _), shape = page.decode(stream, index, **tables)
        target = whole[plane, depth:depth + shape[0], top:top + shape[1], left:left + shape[2]]
        target[:] = page.nodata if pixels is None else pixels[:target.shape[0], :target.shape[1], :target.shape[2]]
    except Exception as error:
        said = " ".join(str(error).split())[:160]
        codec = CODECS[page.compression]
        if isinstance(error, ImportError) or "imagecodecs" in said:
            raise UnreadableMaskError(f"needs {codec or 'a decoder'} from the package imagecodecs, "
                                 "which is not installed or lacks it") from error
        name = "tile" if page.is_tiled else "strip"
        if "reshape" in said or "broadcast" in said:
            said = "it does not hold as many pixels as the header says"
        raise UnreadableMaskError(f"the {name} at byte {offset:,} cannot be decoded{codec and f' as {codec}'} ({said})") from error

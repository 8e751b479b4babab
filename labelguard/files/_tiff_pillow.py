"""TIFF without tifffile: through Pillow, only what Pillow hands over exactly as stored."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import UnreadableMaskError
from labelguard.facts.mask import Channels, Storage
from labelguard.files._ifd import Directory
from labelguard.files.limits import check_size

_HELP = "; installing tifffile and imagecodecs lets labelguard read it"

# Compressions that Pillow's own libtiff undoes without changing a value.
_CODECS = {1: "", 5: "LZW", 8: "DEFLATE", 32946: "DEFLATE", 32773: "PackBits"}

# (photometric, sample format, bits of every sample): Pillow's modes, the stored type, the meaning. Left out is all that Pillow
# changes on the way: it inverts MinIsWhite, stretches 2- and 4-bit grey, drops signs of bytes and halves of doubles.
_EXACT: dict[tuple[int, int, tuple[int, ...]], tuple[tuple[str, ...], str, Channels]] = {
    (1, 1, (1,)): (("1",), "bool", "grey"),
    (1, 1, (8,)): (("L",), "uint8", "grey"),
    (1, 1, (16,)): (("I;16", "I;16B"), "uint16", "grey"),
    (1, 2, (16,)): (("I",), "int16", "grey"),
    (1, 1, (32,)): (("I",), "uint32", "grey"),
    (1, 2, (32,)): (("I",), "int32", "grey"),
    (1, 3, (32,)): (("F",), "float32", "grey"),
    (3, 1, (1,)): (("P",), "uint8", "palette"),
    (3, 1, (2,)): (("P",), "uint8", "palette"),
    (3, 1, (4,)): (("P",), "uint8", "palette"),
    (3, 1, (8,)): (("P",), "uint8", "palette"),
    (2, 1, (8, 8, 8)): (("RGB",), "uint8", "rgb"),
}


def read(data: bytes, directory: Directory) -> tuple[NDArray[Any], Storage]:
    """Read the first page.

    Parameters
    ----------
    data
        The whole file.
    directory
        Its first page's tags.

    Returns
    -------
    array
        (H, W) or (H, W, 3), the stored samples.
    stored
        How they lay on disk.

    Raises
    ------
    UnreadableMaskError
        When Pillow would not hand over the stored samples; Pillow's own exceptions pass through.
    """
    tags = directory.tags
    samples = tags.get(277, (1,))[0]
    bits = tags.get(258, (1,) * samples)
    kinds = tags.get(339, (1,))
    key = (tags.get(262, (-1,))[0], kinds[0], bits)
    compression = tags.get(259, (1,))[0]
    if key not in _EXACT or len(set(kinds)) > 1 or compression not in _CODECS or samples != len(bits):
        raise UnreadableMaskError(f"is a kind of TIFF that Pillow cannot read exactly (photometric {key[0]}, {bits[0]} bits, sample "
                             f"format {key[1]}, compression {compression}){_HELP}")
    modes, dtype, channels = _EXACT[key]
    check_size((tags[257][0], tags[256][0], samples), 8)
    from PIL.TiffImagePlugin import TiffImageFile

    with warnings.catch_warnings(action="ignore"), TiffImageFile(BytesIO(data)) as image:
        if image.mode not in modes or (image.height, image.width) != (tags[257][0], tags[256][0]):
            raise UnreadableMaskError(f"is opened by Pillow in mode {image.mode}, which does not hold the stored values{_HELP}")
        image.load()
        array = np.array(image)
        palette = bytes(image.getpalette("RGB") or b"") if channels == "palette" else None
    if dtype == "uint32":
        array = array.view(np.uint32)
    array = array.astype(np.dtype(dtype), copy=False)
    return array, Storage("tiff", channels, bits[0], array.dtype.kind, pages=directory.pages, palette=palette,
                         codec=_CODECS[compression])

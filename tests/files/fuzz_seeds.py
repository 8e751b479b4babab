"""Small files of every format that labelguard reads, in most of their kinds: what mutants are made of."""

from __future__ import annotations

import struct
from io import BytesIO
from typing import Any

import numpy as np

from tests.files import pngs

Seed = tuple[str, bytes]


def good_files() -> list[Seed]:
    """Small files of every format that labelguard reads, in most of their kinds."""
    import tifffile
    from PIL import Image

    labels = np.kron(np.random.default_rng(0).integers(0, 5, (6, 8)), np.ones((4, 4), int)).astype(np.uint8)
    colors = np.stack((labels, 40 * labels, 255 - labels), axis=2)
    equal = np.stack((labels, labels, labels), axis=2)
    grey, rgb, grey_rgb = Image.fromarray(labels), Image.fromarray(colors), Image.fromarray(equal)
    indexed = Image.fromarray(labels)
    indexed.putpalette([7, 7, 7, 200, 0, 0, 0, 200, 0, 0, 0, 200, 9, 9, 90])
    wide = Image.fromarray(labels.astype(np.uint16) * 1000)
    bilevel = grey.point(lambda level: 255 * (level > 2)).convert("1")
    files: list[Seed] = []

    def saved(name: str, image: Image.Image, form: str, **options: object) -> None:
        target = BytesIO()
        image.save(target, form, **options)
        files.append((name, target.getvalue()))

    files.append(("interlaced.png", pngs.encode(labels, 4, 0, (0, 1, 2, 3, 4), interlaced=True)))
    files.append(("interlaced-16.png", pngs.encode(labels.astype(np.uint16) * 999, 16, 0, (4, 2), interlaced=True)))
    for name, image in (("grey", grey), ("rgb", rgb), ("grey-rgb", grey_rgb), ("palette", indexed), ("16", wide), ("1", bilevel),
                        ("alpha", rgb.convert("RGBA"))):
        saved(f"{name}.png", image, "PNG")
    saved("4.png", indexed, "PNG", bits=4)
    for name, image in (("grey", grey), ("rgb", rgb), ("grey-rgb", grey_rgb), ("palette", indexed), ("1", bilevel)):
        saved(f"{name}.bmp", image, "BMP")
    files += [("rle8.bmp", run_length_bmp(labels)), ("rle4.bmp", run_length_bmp(labels, nibbles=True))]
    for name, image in (("grey", grey), ("palette", indexed)):
        saved(f"{name}.gif", image, "GIF")
    saved("frames.gif", indexed, "GIF", save_all=True, append_images=[grey, indexed])
    saved("lossless.webp", rgb, "WEBP", lossless=True)
    saved("grey-rgb.webp", grey_rgb, "WEBP", lossless=True)
    saved("lossy.webp", rgb, "WEBP")
    saved("frames.webp", rgb, "WEBP", save_all=True, append_images=[rgb.transpose(Image.Transpose.ROTATE_180)])
    saved("grey.jpg", grey, "JPEG")
    saved("rgb.jpg", rgb, "JPEG", progressive=True)
    for dtype in ("uint8", ">u2", "int64", "float32", "bool"):
        target = BytesIO()
        np.save(target, labels.astype(dtype))
        files.append((f"{dtype}.npy", target.getvalue()))
    for dtype, options in (
            ("uint8", {}), ("uint16", {"byteorder": ">"}), ("int32", {"bigtiff": True}), ("bool", {}),
            ("float32", {"compression": "zlib", "predictor": True}), ("uint8", {"compression": "lzw", "tile": (16, 16)}),
            ("uint8", {"compression": "packbits", "rowsperstrip": 5}),
            ("uint8", {"compression": "jpeg"}), ("uint8", {"compression": "jpegxl"}), ("uint8", {"compression": "jpegxr"}),
            ("int16", {"compression": "zlib", "predictor": 2}), ("uint8", {"compression": "lzw", "predictor": 2, "rowsperstrip": 7}),
            ("uint16", {"compression": "zstd"}), ("uint8", {"compression": "zstd", "predictor": 2, "tile": (16, 16), "bigtiff": True}),
            ("int64", {"compression": "lzw", "predictor": 2, "byteorder": ">"}), ("float64", {"compression": "lzma", "predictor": 3}),
            ("uint8", {"compression": "lzma"})):
        target = BytesIO()
        tifffile.imwrite(target, labels.astype(dtype), photometric="minisblack", **options)
        files.append((f"{dtype}-{options.get('compression', 'raw')}.tif", target.getvalue()))
    stack, ramp = np.stack((labels, labels)), np.outer((1, 3, 7), np.arange(256)).astype(np.uint16) % 256 * 257
    more: tuple[tuple[str, np.ndarray, dict[str, Any]], ...] = (
        ("rgb", colors, {"photometric": "rgb"}),
        ("pages", stack, {"photometric": "minisblack"}), ("imagej", stack, {"imagej": True}),
        ("palette", labels, {"photometric": "palette", "colormap": ramp}),
        ("grey-rgb", equal, {"photometric": "rgb", "compression": "lzw"}),
        ("planes", np.moveaxis(equal, 2, 0), {"photometric": "rgb", "planarconfig": "separate", "compression": "zlib", "rowsperstrip": 9}),
        ("turned", labels, {"photometric": "minisblack", "extratags": [(274, 3, 1, 6, True)], "compression": "lzw"}),
        ("white", labels, {"photometric": "miniswhite", "tile": (16, 16), "compression": "packbits", "byteorder": ">"}))
    for name, array, keywords in more:
        target = BytesIO()
        tifffile.imwrite(target, array, **keywords)
        files.append((f"{name}.tif", target.getvalue()))
    return files


def run_length_bmp(labels: np.ndarray, nibbles: bool = False) -> bytes:
    """An RLE8 or RLE4 BMP with a color palette, each row one run after another; no writer at hand makes them."""
    stream = bytearray()
    for row in labels[::-1]:
        for value in row.tolist():
            stream += bytes((1, value << 4 if nibbles else value))
        stream += b"\0\0"
    stream += b"\0\1"
    colors = bytes(level for index in range(16 if nibbles else 256) for level in (index, 7 * index % 256, 200, 0))
    start = 54 + len(colors)
    height, width = labels.shape
    return (struct.pack("<2sIHHI", b"BM", start + len(stream), 0, 0, start)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 4 if nibbles else 8, 2 if nibbles else 1, len(stream), 0, 0, 0, 0)
            + colors + stream)

"""Pictures as files."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, features

from labelguard.pictures.picture import Picture

FEW = np.random.default_rng(1).choice(np.array([[0, 0, 0], [255, 0, 170], [3, 200, 9]], np.uint8), (30, 40))
MANY = np.random.default_rng(2).integers(0, 256, (30, 40, 3), np.uint8)


def decoded(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("pixels", [FEW, MANY, MANY[:1, :1], MANY[:16, :16]], ids=["few", "many", "one", "256 colors"])
def test_a_png_holds_exactly_these_pixels_and_the_same_bytes_each_time(pixels: NDArray[np.uint8]) -> None:
    png = Picture(pixels).png()
    assert (decoded(png) == pixels).all() and png == Picture(pixels.copy()).png()


def test_few_colors_are_a_palette() -> None:
    assert Image.open(BytesIO(Picture(FEW).png())).mode == "P"
    assert Image.open(BytesIO(Picture(MANY).png())).mode == "RGB"
    assert len(Picture(FEW).png()) < FEW.size / 8


@pytest.mark.skipif(not features.check("webp"), reason="Pillow has no WebP here")
def test_the_smallest_file_is_exact_where_no_photograph_is_in_it() -> None:
    media_type, data = Picture(FEW).smallest()
    assert media_type == "image/webp" and (decoded(data) == FEW).all() and data == Picture(FEW).smallest().data
    assert len(Picture(MANY, photograph=True).smallest().data) < len(Picture(MANY).smallest().data)


def test_without_webp_it_is_a_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "check", lambda _: False)
    assert Picture(FEW).smallest() == ("image/png", Picture(FEW).png())


def test_a_data_uri_holds_the_smallest_file() -> None:
    head, _, text = Picture(FEW).data_uri().partition(";base64,")
    assert head.startswith("data:image/") and b64decode(text) == Picture(FEW).smallest().data


def test_text_comes_before_the_pixels() -> None:
    png = Picture(FEW).png({"labelguard": "show 1"})
    assert png[37:58] == b"tEXtlabelguard\0show 1" and Image.open(BytesIO(png)).text == {"labelguard": "show 1"}  # type: ignore[attr-defined]

"""LG002: lossy codecs."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import lossy_container as check
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import Colors, MaskFacts
from labelguard.files.mask import facts_of
from tests.checks.scenes import mask, on_mask, png, saved, scene

PICTURE = Image.fromarray(scene([1, 2, 3]) * 60)


def test_it_names_the_codec_and_the_ids_that_it_left() -> None:
    finding, = on_mask(check, MaskFacts.of_labels(mask("0 1 / 2 1"), Storage("tiff", lossy=True, codec="jpeg")))
    assert finding.message == "Stored as TIFF (jpeg), a lossy codec: ids near edges are not what was drawn."
    assert (finding.ids, finding.pixels) == ((0, 1, 2), 4)
    assert finding.evidence == ("3 different ids: 0-2",)


def test_a_codec_that_is_the_format_is_not_said_twice() -> None:
    finding, = on_mask(check, MaskFacts.of_labels(mask("0 1"), Storage("jpeg", lossy=True, codec="JPEG")))
    assert finding.message.startswith("Stored as JPEG, a")


def test_a_colorful_one_may_be_an_image() -> None:
    facts = MaskFacts((4, 4), "uint8", stored=Storage("jpeg", "rgb", lossy=True), colors=Colors(False, 16))
    finding, = on_mask(check, facts)
    assert finding.evidence == ("16 different colors; is this a folder of images rather than masks?",)


@pytest.mark.parametrize(("content", "name"), [
    (saved(PICTURE, "JPEG", quality=100), "a.jpg"),
    (saved(PICTURE, "JPEG"), "a.png"),
    (saved(PICTURE.convert("RGB"), "JPEG"), "a.jpg"),
    (saved(PICTURE.convert("RGB"), "WEBP", quality=80), "a.webp"),
    (saved(PICTURE, "TIFF", compression="jpeg"), "a.tif"),
])
def test_it_flags_whatever_the_name_says(content: bytes, name: str) -> None:
    assert len(on_mask(check, facts_of(content, name))) == 1


@pytest.mark.parametrize(("content", "name"), [
    (png(scene([1, 2])), "a.png"),
    (png(scene([1, 2])), "a.jpg"),
    (saved(PICTURE, "TIFF", compression="tiff_deflate"), "a.tif"),
    (saved(PICTURE, "TIFF", compression="tiff_lzw"), "a.tif"),
    (saved(PICTURE.convert("RGB"), "WEBP", lossless=True), "a.webp"),
    (saved(PICTURE, "GIF"), "a.gif"),
    (saved(PICTURE, "BMP"), "a.bmp"),
])
def test_it_leaves_lossless_files_alone(content: bytes, name: str) -> None:
    assert on_mask(check, facts_of(content, name)) == []


def test_it_leaves_a_mask_alone_that_never_lay_on_disk() -> None:
    assert on_mask(check, np.zeros((2, 2), "uint8")) == []

"""LG604: images that differ in channels or depth."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import image_channels as check
from labelguard.finding import Severity
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import on_dataset, saved

MASK = sized(40, 60)
COLOR = saved(Image.fromarray(photo()), "JPEG")


@pytest.mark.parametrize(("image", "layout"), [
    (saved(Image.fromarray(photo()).convert("L"), "JPEG"), "8-bit grey"),
    (saved(Image.fromarray(photo()).convert("RGBA")), "8-bit rgba"),
    (saved(Image.fromarray(photo()).convert("CMYK"), "JPEG"), "CMYK"),
    (saved(Image.fromarray(photo()).convert("P")), "palette"),
    (saved(Image.fromarray(photo()[:, :, 0].astype(np.uint16) * 256)), "16-bit grey"),
])
def test_the_odd_ones_are_named(image: bytes, layout: str) -> None:
    finding, = said_of(check, {"a": (MASK, COLOR), "b": (MASK, image), "c": (MASK, COLOR)})
    assert finding.files == ("b.jpg",) and finding.subject == "image" and finding.severity is Severity.WARNING
    assert finding.message == "1 image is unlike the other 2 (8-bit rgb)."
    assert finding.evidence == ("8-bit rgb: 2 images", f"{layout}: 1 image")


def test_it_leaves_alone() -> None:
    assert on_dataset(check, []) == []
    files = [COLOR, saved(Image.fromarray(photo()), "PNG"), saved(Image.fromarray(photo()), "BMP"), saved(Image.fromarray(photo()), "TIFF")]
    assert said_of(check, {str(n): (MASK, file) for n, file in enumerate(files)}) == []      # the container does not count
    grey = saved(Image.fromarray(photo()).convert("L"))
    assert said_of(check, {"a": (MASK, COLOR), "b": (MASK, grey)}, pixels=False) == []

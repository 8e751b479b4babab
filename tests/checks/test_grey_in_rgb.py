"""LG004: ids stored three times over."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import grey_in_rgb as check
from labelguard.files.mask import facts_of
from tests.checks.scenes import mask, on_mask, png, saved

LABELS = mask("0 1 255 / 7 1 0")
GREY = Image.fromarray(LABELS)


@pytest.mark.parametrize("content", [saved(GREY.convert("RGB")), saved(GREY.convert("RGB"), "TIFF"), saved(GREY.convert("RGB"), "BMP")])
def test_it_flags_equal_channels(content: bytes) -> None:
    finding, = on_mask(check, facts_of(content))
    assert finding.pixels == 6
    assert finding.evidence == ("each channel holds the ids 0, 1, 7 and 255",)


def unequal() -> bytes:
    channels = np.array(GREY.convert("RGB"))
    channels[1, 2, 2] += 1
    return saved(Image.fromarray(channels))


@pytest.mark.parametrize("content", [png(LABELS), unequal(), saved(GREY.convert("RGBA")), saved(GREY.convert("LA")), saved(GREY, "TIFF")])
def test_it_leaves_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content)) == []

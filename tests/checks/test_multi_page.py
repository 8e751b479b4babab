"""LG011: files with several images."""

from __future__ import annotations

import pytest
from PIL import Image

from labelguard.checks import multi_page as check
from labelguard.files.mask import facts_of
from tests.checks.scenes import mask, on_mask, png, saved

PAGES = [Image.fromarray(mask(text)) for text in ("0 1 / 1 0", "0 2 / 2 2", "1 1 / 0 0")]


@pytest.mark.parametrize("format_", ["TIFF", "GIF"])
def test_it_counts_the_images(format_: str) -> None:
    finding, = on_mask(check, facts_of(saved(PAGES[0], format_, save_all=True, append_images=PAGES[1:])))
    assert finding.message == "Holds 3 images; only the first was checked, as most loaders read only that."


@pytest.mark.parametrize("content", [png(mask("0 1")), saved(PAGES[0], "TIFF"), saved(PAGES[0], "GIF")])
def test_it_leaves_single_images_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content)) == []


def test_it_leaves_a_mask_alone_that_never_lay_on_disk() -> None:
    assert on_mask(check, mask("0 1")) == []

"""LG008: suffixes that name another format."""

from __future__ import annotations

import pytest
from PIL import Image

from labelguard.checks import wrong_suffix as check
from labelguard.files.mask import facts_of
from tests.checks.scenes import mask, on_mask, png, saved

LABELS = mask("0 1 / 2 1")
PNG, JPEG, TIFF = png(LABELS), saved(Image.fromarray(LABELS), "JPEG"), saved(Image.fromarray(LABELS), "TIFF")


@pytest.mark.parametrize(("content", "name", "message"), [
    (JPEG, "a.png", "Called .png, but the content is JPEG."),
    (PNG, "a.tif", "Called .tif, but the content is PNG."),
    (PNG, "folder.png/a.JPG", "Called .jpg, but the content is PNG."),
    (TIFF, "a.npy", "Called .npy, but the content is TIFF."),
])
def test_it_flags(content: bytes, name: str, message: str) -> None:
    finding, = on_mask(check, facts_of(content, name))
    assert finding.message == message


@pytest.mark.parametrize(("content", "name"), [
    (PNG, "a.png"), (PNG, "a.PNG"), (PNG, "a"), (PNG, "a.mask"), (PNG, "a.tif.png"),
    (JPEG, "a.jpeg"), (JPEG, "a.jpg"), (TIFF, "a.tiff"), (TIFF, "a.TIF"),
])
def test_it_leaves_alone(content: bytes, name: str) -> None:
    assert on_mask(check, facts_of(content, name)) == []


def test_it_leaves_a_mask_alone_that_never_lay_on_disk() -> None:
    assert on_mask(check, LABELS) == []

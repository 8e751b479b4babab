"""LG602: images that do not vary."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import constant_image as check
from labelguard.finding import Severity
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import on_dataset, saved

MASK = sized(40, 60)


@pytest.mark.parametrize("image", [np.full((40, 60), 9, np.uint8), np.full((40, 60, 3), 9, np.uint8), np.full((40, 60), 0.5, np.float32)])
def test_an_image_of_one_value_is_named(image: np.ndarray) -> None:
    finding, = said_of(check, {"a": (MASK, image), "b": (MASK, photo())})
    assert finding.path == "a.jpg" and finding.subject == "image" and finding.severity is Severity.WARNING
    assert finding.evidence == ("mask: a.png",) and "divides 0 by 0" in finding.message


def test_an_image_without_a_mask_is_looked_at_too() -> None:
    finding, = said_of(check, {"a": (MASK, photo()), "b": (None, np.zeros((4, 4), np.uint8))})
    assert finding.path == "b.jpg" and finding.evidence == ()


def test_one_channel_is_a_note() -> None:
    image = photo()
    image[:, :, 2] = 0
    finding, = said_of(check, {"a": (MASK, image), "b": (MASK, photo())})
    assert finding.severity is Severity.NOTE and finding.files == ("a.jpg",) and finding.path is None


def test_one_other_pixel_anywhere_is_enough() -> None:
    for place in ((0, 0), (39, 59), (20, 30), (0, 59)):
        image = np.zeros((40, 60), np.uint8)
        image[place] = 1
        assert said_of(check, {"a": (MASK, image)}) == []


def test_it_leaves_alone() -> None:
    opaque = Image.fromarray(np.dstack([photo(), np.full((40, 60), 255, np.uint8)]))
    assert opaque.mode == "RGBA" and said_of(check, {"a": (MASK, saved(opaque))}) == []
    assert on_dataset(check, []) == []
    assert said_of(check, {"a": (MASK, np.zeros((40, 60), np.uint8))}, pixels=False) == []

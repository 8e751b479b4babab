"""LG404: one picture, two masks."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from labelguard.checks import same_image_other_mask as check
from labelguard.finding import Severity
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import on_dataset, saved

OTHER = sized(40, 60) * 2


def test_masks_of_one_picture_that_differ_are_named() -> None:
    finding, = said_of(check, {"a": (sized(40, 60), photo()), "b": (OTHER, photo()), "c": (OTHER, photo(seed=1))})
    assert finding.files == ("a.png", "b.png") and finding.severity is Severity.WARNING
    assert finding.evidence == ("a.jpg and b.jpg are one image; masks a.png and b.png",)


def test_files_that_differ_in_compression_only_are_one_picture() -> None:
    files = [saved(Image.fromarray(photo()), "PNG", compress_level=level) for level in (1, 9)]
    assert len(set(files)) == 2 and len(said_of(check, {"a": (sized(40, 60), files[0]), "b": (OTHER, files[1])})) == 1


def test_it_leaves_alone() -> None:
    black = np.zeros((40, 60, 3), np.uint8)
    assert on_dataset(check, []) == []
    assert said_of(check, {"a": (sized(40, 60), photo()), "b": (sized(40, 60), photo())}) == []            # a copy of both
    assert said_of(check, {"a": (sized(40, 60), black), "b": (OTHER, black)}) == []                        # frames of one color
    assert said_of(check, {"a": (sized(40, 60), photo()), "b": (OTHER, photo(seed=1))}) == []
    assert said_of(check, {"a": (sized(40, 60), photo()), "b": (OTHER, photo())}, pixels=False) == []


@pytest.mark.parametrize("images", [8, 9])
def test_eight_images_are_listed(images: int) -> None:
    masks = {"a": OTHER, "b": OTHER // 2}
    couples = {f"{side}{number}": (masks[side], photo(seed=number)) for number in range(images) for side in masks}
    finding, = said_of(check, couples)
    assert len(finding.files) == 2 * images and len(finding.evidence) == 8

"""Pictures of real masks: what is thin stays whole, what is odd is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import labelguard
from labelguard.files.photograph import read_photograph
from labelguard.kernels.opencv import opencv
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.mask_picture import mask_picture
from labelguard.pictures.scaling import shown_labels, shown_shape
from labelguard.spec.declarations import read_preset


def parts(where: np.ndarray) -> int:
    cv2 = opencv()
    return int(cv2.connectedComponents(where.astype(np.uint8), connectivity=8)[0]) if cv2 is not None else pytest.skip("needs OpenCV")


def test_vessels_of_one_pixel_do_not_fall_apart_at_480_pixels(real_data: Path) -> None:
    labels = labelguard.read(sorted((real_data / "drive_smoothed" / "original_masks").iterdir())[0]).labels
    shown = shown_labels(labels, shown_shape((labels.shape[0], labels.shape[1]), 480))
    assert shown.shape == (480, 464) and parts(shown > 0) <= parts(labels > 0)


def test_a_wrapped_mask_has_its_wrapped_pixels_in_the_color_of_what_is_no_class(real_data: Path) -> None:
    labels = labelguard.read(real_data / "camvid" / "masks" / "0001TP_006690.png").labels - np.uint8(1)
    colors = ClassColors(read_preset("camvid"))
    pixels = mask_picture(labels, colors, outlined=[255]).pixels
    seen = (pixels == colors.of(255)).all(axis=2)
    assert (seen == (labels == 255)).all()


def test_one_pixel_of_two_million_is_seen(real_data: Path) -> None:
    labels = np.array(labelguard.read(sorted((real_data / "cityscapes" / "labelIds").iterdir())[0]).labels)
    labels[700, 1500] = 99
    colors = ClassColors(read_preset("cityscapes"))
    assert (mask_picture(labels, colors, outlined=[99]).pixels == colors.of(99)).all(axis=2).sum() == 1


def test_photographs_of_all_sets_lie_below_their_masks(real_data: Path) -> None:
    for folder in ("camvid", "pets", "polyp", "voc_palette"):
        image = sorted((real_data / folder / "images").iterdir())[0]
        mask = next(path for path in sorted((real_data / folder / "masks").iterdir()) if path.stem == image.stem)
        labels = labelguard.read(mask).labels
        assert mask_picture(labels, image=read_photograph(image, labels.shape)).photograph

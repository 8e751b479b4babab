"""Masks with their images, and what the checks on pairs say of them."""

from __future__ import annotations

from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.image import image_facts
from labelguard.finding import Finding
from labelguard.pairing.by_name import pair
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import NOTHING, Labels, facts_on_disk, saved

Couple = tuple[Labels | MaskFacts | None, NDArray[Any] | bytes | None]


def photo(height: int = 40, width: int = 60, seed: int = 0, channels: int = 3) -> NDArray[np.uint8]:
    """An image of noise."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels)).astype(np.uint8)


def turned(orientation: int, height: int = 40, width: int = 60, format_: str = "JPEG") -> bytes:
    """An image file of this stored size that carries an EXIF orientation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(Image.fromarray(photo(height, width)), format_, exif=exif)


def npy(array: NDArray[Any]) -> bytes:
    """An NPY file."""
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


def together(couples: dict[str, Couple], spec: LabelSpec = NOTHING, pixels: bool = True) -> DatasetFacts:
    """The facts of masks and images; a stem and what stands on either side, None where there is nothing."""
    masks = {f"{stem}.png": mask for stem, (mask, _) in couples.items() if mask is not None}
    images = {f"{stem}.jpg": image for stem, (_, image) in couples.items() if image is not None}
    pairing = pair(masks, images)
    data = DatasetBuilder("masks", images=("images", pairing))
    for name, image in images.items():
        data.add_image(name, image_facts(image if isinstance(image, bytes) else npy(image), "", pixels))
    partner = dict(pairing.pairs)
    for name, mask in masks.items():
        facts = mask if isinstance(mask, MaskFacts) else facts_on_disk(mask, spec)
        data.add(name, facts, image=partner.get(name))
    return data.build()


def said_of(check: ModuleType, couples: dict[str, Couple], spec: LabelSpec = NOTHING, pixels: bool = True) -> list[Finding]:
    """What one check says of masks and images."""
    return list(check.rule.dataset_check(together(couples, spec, pixels), spec))


def sized(height: int, width: int) -> Labels:
    """A mask of this size with an object."""
    labels = np.zeros((height, width), np.uint8)
    labels[1:3, 1:4] = 1
    return labels

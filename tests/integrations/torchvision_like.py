"""What stages know of torchvision, in its place: masks of tv_tensors, how v2 calls its transforms, the protocol of its sets."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image


class Mask(torch.Tensor):
    """A tensor that its library must wrap again, as torchvision does with those of tv_tensors."""


Mask.__module__ = "torchvision.tv_tensors._mask"


def as_mask(labels: Any) -> Any:
    """A mask of tv_tensors from an array."""
    return torch.from_numpy(labels.copy()).as_subclass(Mask)


def install(patch: pytest.MonkeyPatch) -> None:
    """For one test, these are torchvision."""
    library, masks = types.ModuleType("torchvision"), types.ModuleType("torchvision.tv_tensors")
    masks.Mask, masks.wrap = Mask, lambda plain, like: plain.as_subclass(type(like))  # type: ignore[attr-defined]
    library.tv_tensors = masks  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "torchvision", library)
    patch.setitem(sys.modules, "torchvision.tv_tensors", masks)


class Compose:
    """Calls its transforms as that of ``torchvision.transforms.v2`` does."""

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = transforms

    def __call__(self, *inputs: Any) -> Any:
        unpack = len(inputs) > 1
        for transform in self.transforms:
            outputs = transform(*inputs)
            inputs = outputs if unpack else (outputs,)
        return outputs


class Flip:
    """A joint transform of image and masks."""

    def __init__(self, *_: Any) -> None:
        pass

    def __call__(self, *inputs: Any) -> Any:
        return tuple(one.flip(-1).as_subclass(type(one)) for one in inputs)


class VocLike:
    """The protocol of torchvision's segmentation sets: `images`, `masks`, a palette image as target, and two transforms."""

    def __init__(self, root: str, image_set: str = "train", transform: Callable[[Any], Any] = lambda image: image,
                 target_transform: Callable[[Any], Any] = lambda target: target) -> None:
        base = Path(root) / "VOCdevkit" / "VOC2012"
        names = (base / "ImageSets" / "Segmentation" / f"{image_set}.txt").read_text(encoding="utf-8").split()
        self.images = [str(base / "JPEGImages" / f"{name}.jpg") for name in names]
        self.masks = [str(base / "SegmentationClass" / f"{name}.png") for name in names]
        self.transform, self.target_transform = transform, target_transform

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        with Image.open(self.images[index]) as image, Image.open(self.masks[index]) as target:
            return self.transform(image.convert("RGB")), self.target_transform(target)

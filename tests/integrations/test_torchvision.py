"""A stage as the target_transform of a torchvision data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labelguard.errors import MaskRejectedError
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Pipeline, Resize, Validate
from tests.integrations.datasets import LABELS, SPEC, WRONG

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from labelguard.integrations.torch import GuardedDataset  # noqa: E402
from tests.integrations.torchvision_like import VocLike  # noqa: E402

CLEAN = Pipeline([Validate(SPEC, select=("LG101",)), Resize(2, 3)])


def library() -> Any:
    try:
        import torchvision.tv_tensors
    except (ImportError, RuntimeError) as problem:  # a build for another PyTorch ends with RuntimeError
        pytest.skip(f"torchvision cannot be imported: {problem}")
    return torchvision


def real() -> Any:
    return library().datasets.VOCSegmentation


@pytest.fixture
def root(tmp_path: Path) -> str:
    base = tmp_path / "VOCdevkit" / "VOC2012"
    for folder in ("JPEGImages", "SegmentationClass", "ImageSets/Segmentation"):
        (base / folder).mkdir(parents=True)
    for name, labels in {"a": LABELS, "b": WRONG, "c": LABELS}.items():
        Image.new("RGB", labels.shape[::-1]).save(base / "JPEGImages" / f"{name}.jpg")
        target = Image.fromarray(labels)
        target.putpalette(bytes(range(30)))
        target.save(base / "SegmentationClass" / f"{name}.png")
    (base / "ImageSets" / "Segmentation" / "train.txt").write_text("a\nb\nc\n", encoding="utf-8")
    return str(tmp_path)


def planes(image: Image.Image) -> Any:
    return torch.from_numpy(np.array(image)).permute(2, 0, 1)


every_set = pytest.mark.parametrize("dataset_class", [lambda: VocLike, real], ids=["stand-in", "VOCSegmentation"])


@every_set
def test_a_stage_as_target_transform(dataset_class: Callable[[], Any], root: str) -> None:
    dataset = dataset_class()(root, transform=planes, target_transform=CLEAN)
    image, labels = dataset[0]
    assert image.shape == (3, *LABELS.shape) and np.array_equal(labels, Resize(2, 3)(LABELS))
    with pytest.raises(MaskRejectedError, match="LG101 out-of-range"):
        dataset[1]


@every_set
def test_and_a_guard_around_it(dataset_class: Callable[[], Any], root: str) -> None:
    dataset = dataset_class()(root, transform=planes, target_transform=CLEAN)
    guarded = GuardedDataset(dataset, None, "skip", name=dataset.masks)
    (images, labels), = torch.utils.data.DataLoader(guarded, batch_size=3)
    assert images.shape == (2, 3, *LABELS.shape) and labels.shape == (2, 2, 3)
    assert [(sample.index, Path(sample.name).name) for sample in guarded.rejections] == [(1, "b.png")]


def test_masks_of_tv_tensors() -> None:
    tv_tensors = library().tv_tensors
    for given in (tv_tensors.Mask(torch.from_numpy(LABELS)), tv_tensors.Mask(torch.from_numpy(LABELS.astype(np.int64)))):
        result = CLEAN(given)
        assert type(result) is tv_tensors.Mask and result.dtype == given.dtype and result.shape == (2, 3)


def test_a_mask_of_an_image_has_a_channel_and_keeps_it() -> None:
    tv_tensors = library().tv_tensors
    given = tv_tensors.Mask(Image.fromarray(LABELS))
    result = CLEAN(given)
    assert given.shape == (1, *LABELS.shape) and type(result) is tv_tensors.Mask and result.shape == (1, 2, 3)
    with pytest.raises(MaskRejectedError):
        Validate(LabelSpec(2))(given)

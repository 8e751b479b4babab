"""A stage in an Albumentations pipeline, as a Lambda and as a transform of its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from labelguard.errors import MaskRejectedError
from tests.integrations.datasets import CLEAN, LABELS, WRONG


@pytest.fixture(scope="module")
def library() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_ALBUMENTATIONS_UPDATE", "1")  # or else the import asks the network for a newer version
        return pytest.importorskip("albumentations", reason="Albumentations is not installed")


def clean_mask(mask: Any, **_: Any) -> Any:
    """What A.Lambda calls: it hands over the shape of the image too."""
    return CLEAN(mask)


def as_lambda(library: Any) -> Any:
    return library.Lambda(mask=clean_mask)


def as_transform(library: Any) -> Any:
    class Staged(library.DualTransform):  # type: ignore[name-defined, misc]
        """A transform that puts masks through a stage and leaves all else alone."""

        def __init__(self, stage: Any) -> None:
            super().__init__(p=1)
            self.stage = stage

        def apply(self, img: Any, **_: Any) -> Any:
            return img

        def apply_to_mask(self, mask: Any, **_: Any) -> Any:
            return self.stage(mask)

    return Staged(CLEAN)


IMAGE = np.zeros((*LABELS.shape, 3), np.uint8)
each_way = pytest.mark.parametrize("make", [as_lambda, as_transform])


@each_way
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_a_stage_in_a_pipeline(library: Any, make: Any, dtype: Any) -> None:
    given = LABELS.astype(dtype)
    pipeline = library.Compose([make(library), library.HorizontalFlip(p=1)])
    result = pipeline(image=IMAGE, mask=given)["mask"]
    assert np.array_equal(result, LABELS[:, ::-1] + 1) and np.array_equal(given, LABELS)


@each_way
def test_a_refusal_passes_through_the_pipeline(library: Any, make: Any) -> None:
    with pytest.raises(MaskRejectedError, match="LG101"):
        library.Compose([make(library)])(image=IMAGE, mask=WRONG)


@each_way
def test_several_masks(library: Any, make: Any) -> None:
    result = library.Compose([make(library)])(image=IMAGE, masks=[LABELS, LABELS])["masks"]
    assert all(np.array_equal(labels, LABELS + 1) for labels in result)


def test_resizing_first_hides_what_validation_is_for(library: Any) -> None:
    resize = library.Resize(1, 2)
    late = library.Compose([resize, as_lambda(library)])(image=IMAGE, mask=WRONG)["mask"]
    assert 9 not in late
    with pytest.raises(MaskRejectedError):
        library.Compose([as_lambda(library), resize])(image=IMAGE, mask=WRONG)


def test_the_lambda_survives_the_way_into_workers(library: Any) -> None:
    pipeline = pickle.loads(pickle.dumps(library.Compose([as_lambda(library)])))
    assert np.array_equal(pipeline(image=IMAGE, mask=LABELS)["mask"], LABELS + 1)

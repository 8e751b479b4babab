"""What crops of a mask hold, held against looking at every crop."""

from __future__ import annotations

from typing import Any, Never

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.errors import UsageError
from labelguard.facts.crops import CropFacts, LoaderPlan, RandomCrop
from labelguard.facts.mask_facts import MaskFacts
from labelguard.kernels.factorize import factorize
from labelguard.spec.labelspec import LabelSpec
from tests.drawn import bands
from tests.kernels.strategies import label_images

SPECS = [LabelSpec(4, 3), LabelSpec(3, (0, 3)), LabelSpec(4), LabelSpec(3, 3, background=2), LabelSpec(None, 1),
         LabelSpec(names=("a", "b", "c"), ignore_index=3)]


def looked_at(labels: NDArray[Any], size: tuple[int, ...], spec: LabelSpec, each_class: bool = True) -> CropFacts:
    return RandomCrop(size, spec, each_class).of(MaskFacts.of_labels(labels), lambda: factorize(labels))


def plain(labels: NDArray[Any], size: tuple[int, ...], spec: LabelSpec) -> CropFacts:
    """Every crop on its own."""
    height, width = min(size[0], labels.shape[0]), min(size[1], labels.shape[1])
    crops = [set(labels[row:row + height, column:column + width].ravel().tolist())
             for row in range(labels.shape[0] - height + 1) for column in range(labels.shape[1] - width + 1)]
    ignored, background = set(spec.ignore_index), spec.background_id
    classes = [label for label in np.unique(labels).tolist() if spec.is_class(label)]
    return CropFacts(len(crops), sum(crop <= ignored for crop in crops),
                     None if background is None else sum(crop <= ignored | {background} for crop in crops),
                     {label: sum(label not in crop for crop in crops) for label in classes}, (height, width) != size)


@given(label_images(below=4, longest=30), st.integers(1, 22), st.integers(1, 32), st.sampled_from(SPECS),
       st.sampled_from(["uint8", "uint16", "int64"]))
def test_crop_facts_equal_a_look_at_every_crop(labels: NDArray[Any], height: int, width: int, spec: LabelSpec, dtype: str) -> None:
    labels = labels.astype(dtype)
    assert looked_at(labels, (height, width), spec) == plain(labels, (height, width), spec)


@given(label_images(below=3, longest=20), st.integers(1, 10), st.integers(1, 10))
def test_negative_and_wide_ids_count_like_others(labels: NDArray[Any], height: int, width: int) -> None:
    wide = np.array([-1, 5, 2 ** 40])[labels]
    spec = LabelSpec(None, -1, background=5)
    assert looked_at(wide, (height, width), spec) == plain(wide, (height, width), spec)


def test_classes_are_looked_for_only_where_asked() -> None:
    assert looked_at(bands(0, 1, 2), (8, 8), LabelSpec(3), each_class=False).without == {}


@pytest.mark.parametrize("labels", [bands(0, 1, 2), np.full((40, 30), 255, np.uint8)])
def test_pixels_are_not_decoded_where_counts_tell(labels: NDArray[Any]) -> None:
    def never() -> Never:
        raise AssertionError("decoded")

    spec = LabelSpec(3, 255)
    facts = RandomCrop((20, 20), LabelSpec(names=("a", "b", "c"), ignore_index=255)).of(MaskFacts.of_labels(labels), never)
    assert facts.blind == (facts.windows if labels[0, 0] == 255 else 0)
    with pytest.raises(AssertionError, match="decoded"):
        RandomCrop((4, 4), spec).of(MaskFacts.of_labels(bands(0, 1, 2)), never)


def test_a_mask_smaller_than_the_crop_gives_itself() -> None:
    assert looked_at(bands(0, 1), (64, 10), LabelSpec(2)) == CropFacts(21, 0, 0, {0: 0, 1: 0}, True)


@pytest.mark.parametrize(("arguments", "said"), [
    ({"batch_size": 0}, "batch_size is 0"), ({"batch_size": 2.0}, "batch_size is 2.0"), ({"batch_size": True}, "batch_size is True"),
    ({"crop": (0, 5)}, r"crop is \(0, 5\)"), ({"crop": 64}, "crop is 64; it must be height and width"),
    ({"crop": "64x64"}, "crop is '64x64'"),
])
def test_numbers_that_make_no_sense_are_refused(arguments: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        LoaderPlan(**arguments)

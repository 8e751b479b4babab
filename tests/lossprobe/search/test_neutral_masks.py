"""Neutral masks, and changes that leave the rest of a batch as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import UsageError
from labelguard.lossprobe.search.neutral_masks import neutral_masks, plant, replace_ids


@given(st.integers(1, 4), st.integers(1, 40), st.integers(1, 40), st.integers(1, 30), st.integers(0, 3))
def test_every_class_is_in_every_mask_as_far_as_pixels_suffice(count: int, height: int, width: int, classes: int, seed: int) -> None:
    masks = neutral_masks(count, height, width, classes, seed)
    assert masks.shape == (count, height, width) and masks.dtype == np.int64
    assert masks.min() >= 0 and masks.max() < classes
    for mask in masks:
        assert len(np.unique(mask)) >= min(classes, height * width)


def test_they_are_the_same_every_time_and_differ_by_seed_and_in_a_batch() -> None:
    assert np.array_equal(neutral_masks(2, 12, 9, 5), neutral_masks(2, 12, 9, 5))
    assert not np.array_equal(neutral_masks(2, 12, 9, 5), neutral_masks(2, 12, 9, 5, seed=1))
    first, second = neutral_masks(2, 12, 9, 5)
    assert not np.array_equal(first, second)


def test_ignored_classes_are_left_out() -> None:
    assert set(np.unique(neutral_masks(1, 8, 8, 4, without=(0, 255)))) == {1, 2, 3}
    with pytest.raises(UsageError, match="None of the 2 classes is left"):
        neutral_masks(1, 8, 8, 2, without=(0, 1))


def test_classes_come_in_blocks() -> None:
    mask = neutral_masks(1, 60, 80, 12)[0]
    assert (mask[:, 1:] != mask[:, :-1]).mean() < 0.1


def test_planting_changes_one_pixel_of_a_copy() -> None:
    masks = neutral_masks(2, 4, 4, 3).astype(np.uint8)
    planted = plant(masks, (1, 2, 3), -1)
    assert planted[1, 2, 3] == -1
    assert np.argwhere(planted != masks).tolist() == [[1, 2, 3]]


def test_replaced_pixels_take_the_most_frequent_class_of_their_mask() -> None:
    labels = np.array([[[0, 2, 2], [255, 255, 255]], [[1, 1, 0], [0, 1, 0]], [[255, 255, 255], [255, 255, 255]]])
    replaced = replace_ids(labels, (255,), (0, 1, 2), instead=np.full_like(labels, 1))
    assert replaced.tolist() == [[[0, 2, 2], [2, 2, 2]], [[1, 1, 0], [0, 1, 0]], [[1, 1, 1], [1, 1, 1]]]


def test_an_illegal_id_is_no_replacement() -> None:
    labels = np.array([[[0, 77, 77, 255]]])
    assert replace_ids(labels, (255,), (0, 1), instead=np.ones_like(labels)).tolist() == [[[0, 77, 77, 0]]]

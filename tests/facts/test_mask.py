"""Mask: an (H, W) array that nobody can write into, with a name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import labelguard
from labelguard import Mask


@pytest.fixture
def labels() -> NDArray[np.uint8]:
    return np.arange(6, dtype=np.uint8).reshape(2, 3)


def test_its_labels_are_a_read_only_view_and_the_callers_array_stays_writable(labels: NDArray[np.uint8]) -> None:
    mask = Mask(labels)
    with pytest.raises(ValueError, match="read-only"):
        mask.labels[0, 0] = 9
    assert np.shares_memory(mask.labels, labels)
    labels[0, 0] = 7
    assert mask.labels[0, 0] == 7


def test_an_array_that_is_read_only_already_is_taken_as_it_is(labels: NDArray[np.uint8]) -> None:
    labels.flags.writeable = False
    assert Mask(labels).labels is labels


def test_it_is_an_array_to_numpy(labels: NDArray[np.uint8]) -> None:
    mask = Mask(labels)
    assert np.asarray(mask).shape == (2, 3) and np.asarray(mask).dtype == np.uint8
    assert np.shares_memory(np.asarray(mask), labels) and not np.asarray(mask).flags.writeable
    assert np.array_equal(np.asarray(mask, np.int64), labels) and np.asarray(mask, np.int64).dtype == np.int64
    assert np.unique(mask).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_copy_of_it_is_ones_own(labels: NDArray[np.uint8]) -> None:
    for own in (np.array(Mask(labels)), Mask(labels).__array__(copy=True), Mask(labels).__array__(np.int16)):
        own[...] = 9
    assert labels.max() == 5


def test_a_type_that_needs_a_copy_is_refused_where_none_may_be_made(labels: NDArray[np.uint8]) -> None:
    assert np.shares_memory(Mask(labels).__array__(copy=False), labels)
    with pytest.raises(ValueError, match="would have to be copied"):
        Mask(labels).__array__(np.int64, copy=False)


def test_a_file_read_is_an_array_to_numpy(tmp_path: Any, labels: NDArray[np.uint8]) -> None:
    Image.fromarray(labels).save(tmp_path / "a.png")
    assert np.array_equal(np.asarray(labelguard.read(tmp_path / "a.png")), labels)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", ">u4"])
def test_any_integers_and_truth_values_are_labels(dtype: str) -> None:
    assert Mask(np.ones((2, 2), dtype)).labels.dtype == np.dtype(dtype)


@pytest.mark.parametrize(("labels", "sentence"), [
    ([[1, 2]], "must be a numpy array, not list"),
    (None, "must be a numpy array, not NoneType"),
    (np.zeros((2, 2)), "must be integers; these are float64"),
    (np.array([["a"]]), "must be integers; these are <U1"),
    (np.zeros((2, 2, 3), np.uint8), r"must have the shape \(H, W\); these have the shape \(2, 2, 3\)"),
    (np.zeros(4, np.uint8), r"these have the shape \(4,\)"),
])
def test_what_is_not_a_mask_is_refused_in_words(labels: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        Mask(labels)

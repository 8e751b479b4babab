from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.facts.mask_facts import MaskFacts
from labelguard.kernels import tally
from tests.kernels.strategies import label_images


def plain(labels: NDArray[Any]) -> NDArray[Any]:
    """The records, one id at a time, as one would explain them."""
    records = []
    for label in np.unique(labels):
        rows, columns = np.nonzero(labels == label)
        along_frame = sum(int((side == label).sum()) for side in (labels[0], labels[-1], labels[:, 0], labels[:, -1]))
        records.append([label, rows.size, rows[0], columns[0], rows.min(), columns.min(), rows.max() + 1, columns.max() + 1, along_frame])
    return np.array(records, np.int64)


@given(label_images())
def test_the_definition_says_what_a_record_is(labels: NDArray[Any]) -> None:
    assert np.array_equal(tally.definition(labels, 256), plain(labels))


@given(label_images())
def test_compiled_equals_definition_on_bytes(labels: NDArray[Any]) -> None:
    assert np.array_equal(tally.tally(labels, 256), tally.definition(labels, 256))


@given(label_images(below=65536, dtype=np.uint16))
def test_compiled_equals_definition_on_16_bits(labels: NDArray[Any]) -> None:
    assert np.array_equal(tally.tally(labels, 65536), tally.definition(labels, 65536))


@given(label_images(below=60, dtype=np.uint32))
def test_compiled_equals_definition_on_codes(labels: NDArray[Any]) -> None:
    assert np.array_equal(tally.tally(labels, 60), tally.definition(labels, 60))


@given(label_images(below=100), st.sampled_from("?BbHhIiLlQq"), st.booleans(), st.integers(1, 3), st.integers(1, 3))
def test_facts_are_right_for_every_type_and_stride(labels: NDArray[Any], code: str, transposed: bool, row_step: int,
                                                   column_step: int) -> None:
    labels = labels.astype(code)[::row_step, ::column_step]
    labels = labels.T if transposed else labels
    facts = MaskFacts.of_labels(labels)
    expected = plain(labels.astype(np.int64))
    assert np.array_equal(facts.ids, expected[:, 0]) and np.array_equal(facts.num_pixels, expected[:, 1])
    assert np.array_equal(facts.first_pixels, expected[:, 2:4]) and np.array_equal(facts.bboxes, expected[:, 4:8])
    assert np.array_equal(facts.frame_pixels, expected[:, 8])
    assert facts.shape == labels.shape and facts.dtype == labels.dtype.name


@pytest.mark.parametrize("ids", [(-1, 0, 7), (-(2 ** 63), 2 ** 63 - 1), (0, 70_000, 2 ** 40)])
def test_ids_beyond_16_bits_are_exact(ids: tuple[int, ...]) -> None:
    labels = np.array([ids, ids[::-1]], np.int64)
    facts = MaskFacts.of_labels(labels)
    assert facts.present == ids == tuple(facts.ids.tolist()) and facts.num_pixels.tolist() == [2] * len(ids)


def test_more_ids_than_the_table_holds() -> None:
    labels = np.arange(300 * 300, dtype=np.int64).reshape(300, 300) * 3
    facts = MaskFacts.of_labels(labels)
    assert len(facts.ids) == 90_000 and set(facts.num_pixels) == {1} and facts.first_pixels[-1].tolist() == [299, 299]


def test_the_array_of_the_caller_is_left_alone() -> None:
    labels = np.array([[1, 2], [2, 3]], np.int32)
    labels.flags.writeable = False
    MaskFacts.of_labels(labels)
    assert labels.tolist() == [[1, 2], [2, 3]]

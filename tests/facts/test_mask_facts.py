"""MaskFacts: per-id facts as arrays, held against plain definitions on the pixels."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from labelguard.facts.mask_facts import MaskFacts

MASKS = st.sampled_from([np.uint8, np.int16, np.uint16, np.int64, np.uint64]).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=2, max_dims=2, max_side=8),
                         elements=st.sampled_from([label for label in (-1, 0, 1, 2, 7, 255, 65535, 2 ** 63 - 1, 2 ** 64 - 1)
                                                   if np.iinfo(dtype).min <= label <= np.iinfo(dtype).max])))


@given(MASKS)
def test_each_id_has_its_pixels_first_pixel_and_box(labels: NDArray[np.integer]) -> None:
    facts = MaskFacts.of_labels(labels)
    assert facts.present == tuple(np.unique(labels).tolist()) == tuple(facts.ids.tolist())
    for at, label in enumerate(facts.present):
        rows, columns = np.where(labels == label)
        assert facts.num_pixels[at] == len(rows) == facts.count(label)
        assert facts.first_pixels[at].tolist() == [rows[0], columns[0]]
        assert facts.bboxes[at].tolist() == [rows.min(), columns.min(), rows.max() + 1, columns.max() + 1]
    assert facts.count(3) == facts.count(-5) == facts.count(2 ** 70) == 0


@given(MASKS, st.data())
def test_a_region_is_what_all_pixels_of_its_ids_give(labels: NDArray[np.integer], data: st.DataObject) -> None:
    facts = MaskFacts.of_labels(labels)
    ids = data.draw(st.sets(st.sampled_from(facts.present), min_size=1))
    rows, columns = np.where(np.isin(labels, np.array(sorted(ids), labels.dtype)))
    region = facts.region([*ids, 99])
    assert region.ids == tuple(sorted(ids)) and region.num_pixels == len(rows) and region.first == (rows[0], columns[0])
    assert region.bbox == (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1)
    assert all(type(number) is int for number in (region.num_pixels, *region.first, *region.bbox))


def test_a_region_of_absent_ids_is_refused() -> None:
    with pytest.raises(ValueError, match="none of these ids"):
        MaskFacts.of_labels(np.zeros((2, 3), np.uint8)).region([1, 2])


@pytest.mark.parametrize("facts", [MaskFacts.of_labels(np.array([[3, 70_000]])), MaskFacts((2, 2), "uint8")], ids=["ids", "no ids"])
def test_per_id_facts_cannot_be_written(facts: MaskFacts) -> None:
    for array in (facts.ids, facts.records, facts.num_pixels, facts.first_pixels, facts.bboxes):
        assert len(array) == len(facts.present)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_ids_are_64_bit_whatever_the_mask_and_unsigned_only_where_they_must_be() -> None:
    def dtype(*ids: int) -> np.dtype[np.integer]:
        return MaskFacts.of_labels(np.array([ids], np.uint64)).ids.dtype
    assert dtype(0, 2 ** 63 - 1) == np.int64 and dtype(0, 2 ** 63) == np.uint64
    assert {MaskFacts.of_labels(np.array([[0, 9]], code)).ids.dtype for code in "?bBhHiIqQ"} == {np.dtype(np.int64)}


def test_facts_survive_pickling() -> None:
    facts = MaskFacts.of_labels(np.array([[3, 70_000, 3]]))
    again = pickle.loads(pickle.dumps(facts))
    assert again.present == (3, 70_000) and again.count(3) == 2 and again.region([3]) == facts.region([3])

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels import filter_up, gather, unfilter
from tests.kernels.strategies import label_images


@given(label_images(), st.integers(0, 2 ** 32 - 1), st.sampled_from([np.uint8, np.uint16]), st.booleans())
def test_gather_equals_its_definition(labels: NDArray[Any], seed: int, dtype: type[Any], refuse: bool) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, np.iinfo(dtype).max + 1, 256).astype(np.int32)
    if refuse:
        table[rng.integers(0, 256, 200)] = gather.REFUSED
    out, expected = np.empty(labels.shape, dtype), np.empty(labels.shape, dtype)
    fine = gather.gather(labels, table, out)
    assert fine == gather.definition(labels, table, expected) == bool((table[labels] >= 0).all())
    assert not fine or (np.array_equal(out, expected) and np.array_equal(out, table[labels]))


@given(label_images())
def test_filtering_names_filter_2_in_each_row_and_can_be_undone(labels: NDArray[Any]) -> None:
    raw = filter_up.filter_up(labels)
    assert np.array_equal(raw, filter_up.definition(labels))
    assert (raw.reshape(len(labels), -1)[:, 0] == 2).all()
    assert np.array_equal(unfilter.unfilter(raw, *labels.shape, 1), labels)

"""From samples to labels: which floats are ids, and in which type."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.errors import NotLabelsError
from labelguard.facts.mask import Storage
from labelguard.files.samples import facts_of_samples, labels_of

FLOAT = Storage("npy", bits=64, kind="f")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_ids_as_long_as_64_bits_hold_them(dtype: type[np.floating]) -> None:
    highest = np.nextafter(dtype(2.0 ** 63), dtype(0))
    samples = np.array([[0, highest], [-highest, 7]], dtype)
    assert labels_of(samples, FLOAT).tolist() == [[0, int(highest)], [-int(highest), 7]]
    assert facts_of_samples(samples, FLOAT).fractions is None


@pytest.mark.parametrize("value", [2.0 ** 63, -2.0 ** 63 * 1.5, 1e300])
def test_floats_beyond_64_bits_are_no_ids(value: float) -> None:
    samples = np.array([[0, 1], [value, 7]])
    fractions = facts_of_samples(samples, FLOAT).fractions
    assert fractions is not None and (fractions.first, fractions.fractional, fractions.nonfinite) == ((1, 0), 1, 0)
    with pytest.raises(NotLabelsError, match="float-mask"):
        labels_of(samples, FLOAT)


@pytest.mark.parametrize(("off", "near"), [(0.0009, True), (0.0011, False)])
def test_fractions_close_to_whole_numbers_can_be_rounded(off: float, near: bool) -> None:
    fractions = facts_of_samples(np.array([[0, 1 + off], [2, 3]]), FLOAT).fractions
    assert fractions is not None and fractions.near is near

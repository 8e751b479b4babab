"""Logarithms of rising factorials: from tables, and beyond them."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import pytest

from labelguard.explanations.log_sums import _TABLED, log_rising


@pytest.mark.parametrize("numbers", [[0, 3], [_TABLED - 1], [_TABLED], [2, _TABLED - 1, _TABLED, 3 * _TABLED]])
def test_numbers_inside_and_beyond_the_tables_agree(numbers: list[int]) -> None:
    found = log_rising(0.7, np.array(numbers))
    assert found == pytest.approx(sum(lgamma(0.7 + number) - lgamma(0.7) for number in numbers) / log(2))

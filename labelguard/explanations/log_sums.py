"""Logarithms of the products that probabilities of counts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

_TABLED = 1 << 15  # longer tables cost more than what they save


def log_sums(first: Sequence[float], most: int) -> NDArray[np.float64]:
    """(F, M) log2 of x (x + 1) ... (x + n - 1) for each first factor x and each n from 0 to at least `most`: Gamma(x + n) / Gamma(x)."""
    found = _known(tuple(first))
    if not found or found[0].shape[1] <= most:
        found[:] = [_log_sums(first, most.bit_length())]
    return found[0]


def log_rising(first: float, numbers: NDArray[np.int64]) -> float:
    """The sum of log2 of first (first + 1) ... (first + n - 1) over some numbers n."""
    few = numbers < _TABLED
    table = log_sums((first,), min(int(numbers.max(initial=0)), _TABLED))[0]
    many = sum(lgamma(first + number) - lgamma(first) for number in numbers[~few].tolist())
    return float(table[numbers[few]].sum()) + many / log(2)


@lru_cache(maxsize=32)
def _known(first: tuple[float, ...]) -> list[NDArray[np.float64]]:
    """The longest ones that were asked for, which hold the shorter ones."""
    return []


def _log_sums(first: Sequence[float], power: int) -> NDArray[np.float64]:
    terms = np.log2(np.array(first)[:, None] + np.arange(1 << power))
    sums = np.zeros((len(first), terms.shape[1] + 1))
    np.cumsum(terms, 1, out=sums[:, 1:])
    sums.flags.writeable = False
    return sums

from __future__ import annotations

from itertools import combinations, permutations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.facts.odds import Epoch, share_of_such, shares_of_mixed


@pytest.mark.parametrize(("masks", "batch_size", "expected"), [
    (10, 4, (4, 2, 2)), (8, 4, (4, 2, 0)), (3, 8, (3, 1, 0)), (1, 1, (1, 1, 0)), (9, 8, (8, 1, 1)),
])
def test_an_epoch_has_full_batches_and_a_last_one(masks: int, batch_size: int, expected: tuple[int, ...]) -> None:
    epoch = Epoch(masks, batch_size)
    assert (epoch.size, epoch.full, epoch.last) == expected


@given(st.integers(1, 8).flatmap(lambda total: st.tuples(st.integers(0, total), st.integers(1, total), st.just(total))))
def test_the_share_is_that_of_all_batches_that_can_be_formed(numbers: tuple[int, ...]) -> None:
    such, size, total = numbers
    batches = list(combinations(range(total), size))
    assert share_of_such(such, size, total) == pytest.approx(sum(max(batch) < such for batch in batches) / len(batches))


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=7), st.integers(1, 9))
def test_mixed_chances_are_averaged_over_all_batches(chances: list[tuple[Any, ...]], most: int) -> None:
    shares = shares_of_mixed(np.array(chances), most)
    assert shares.shape == (most + 1, 2)
    for size in range(most + 1):
        for kind in range(2):
            batches = list(combinations([chance[kind] for chance in chances], size))
            expected = sum(map(prod, batches)) / len(batches) if batches else 0
            assert shares[size, kind] == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 300), st.integers(1, 300), st.integers(1, 40))
def test_certain_chances_give_the_hypergeometric_share(such: int, others: int, size: int) -> None:
    total = such + others
    shares = shares_of_mixed(np.repeat([[1.0], [0.0]], [such, others], axis=0), min(size, total))
    assert shares[-1, 0] == pytest.approx(share_of_such(such, min(size, total), total), rel=1e-9, abs=1e-15)


def test_large_sets_neither_overflow_nor_vanish() -> None:
    assert share_of_such(19_999, 64, 20_000) == pytest.approx(1 - 64 / 20_000)
    assert 0 < share_of_such(300, 64, 20_000) < 1e-100


@pytest.mark.parametrize(("such", "masks", "batch_size"), [(1, 5, 2), (3, 6, 4), (2, 4, 4), (4, 7, 3)])
def test_the_expected_number_is_the_mean_over_all_orders_of_an_epoch(such: int, masks: int, batch_size: int) -> None:
    epoch = Epoch(masks, batch_size)
    orders = list(permutations(range(masks)))
    found = sum(max(order[start:start + batch_size]) < such for order in orders for start in range(0, masks, batch_size)) / len(orders)
    last = share_of_such(such, epoch.last, masks) if epoch.last else 0
    assert epoch.full * share_of_such(such, epoch.size, masks) + last == pytest.approx(found)

"""LG307: splits of other sizes."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import split_sizes as check
from labelguard.finding import Severity
from tests.checks.splitting import between


def masks(*shapes: tuple[int, int]) -> list[np.ndarray]:
    return [np.zeros(shape, np.uint8) for shape in shapes]


def test_sizes_without_a_common_one_are_worth_a_note() -> None:
    finding, = between(check, {"train": masks((8, 8), (8, 8)), "val": masks((16, 32)), "test": masks((8, 8), (4, 4))})
    assert finding.severity is Severity.NOTE and finding.message == "The masks of train, val and test have no size in common."
    assert finding.evidence == ("train: 8 x 8", "val: 16 x 32", "test: 4 x 4 and 8 x 8") and "val/000" in finding.files


@pytest.mark.parametrize(("train", "val"), [
    (masks((8, 8)), masks((8, 8))),
    (masks((8, 8), (4, 4)), masks((4, 4))),
    (masks((8, 8)), []),
    (masks(*((8, width) for width in range(1, 9))), masks((7, 7), (6, 6))),      # sizes that vary by nature
])
def test_it_leaves_alone(train: list[np.ndarray], val: list[np.ndarray]) -> None:
    assert between(check, {"train": train, "val": val}) == []


@pytest.mark.parametrize(("sizes", "found"), [(3, 1), (4, 0)])
def test_splits_of_up_to_three_sizes_are_compared(sizes: int, found: int) -> None:
    assert len(between(check, {"train": masks(*((8, 8 + number) for number in range(sizes))), "val": masks((4, 4))})) == found

"""Rows that were cut where columns end, told from healthy masks, patterns and noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from labelguard.facts.row_order import LEAST_SIDE, Scrambled, row_order
from tests.checks.scenes import Labels

SHAPES = [(64, 96), (96, 64), (48, 160), (60, 120), (150, 131)]


def scene(shape: tuple[int, int], seed: int) -> Labels:
    """Ellipses of all sizes and directions."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:shape[0], :shape[1]]
    labels = np.zeros(shape, np.uint8)
    for label in range(1, 9):
        (top, left), (a, b), angle = rng.uniform(0, 1, 2) * shape, rng.uniform(3, min(shape) / 3, 2), rng.uniform(0, 3)
        u, v = (y - top) * np.cos(angle) + (x - left) * np.sin(angle), (x - left) * np.cos(angle) - (y - top) * np.sin(angle)
        labels[(u / a) ** 2 + (v / b) ** 2 < 1] = label
    return labels


def by_columns(labels: Labels) -> Labels:
    """Stored column by column, read row by row."""
    return labels.T.reshape(labels.shape)


def by_rows(labels: Labels) -> Labels:
    """Stored row by row, read column by column."""
    return labels.reshape(labels.shape[::-1]).T


def exchanged(labels: Labels) -> Labels:
    """Height and width of the buffer exchanged."""
    return labels.reshape(labels.shape[::-1])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("fault", "along_rows"), [(by_columns, True), (by_rows, False), (exchanged, True)])
def test_scrambled_rows_are_told(shape: tuple[int, int], fault: Callable[[Labels], Labels], along_rows: bool) -> None:
    for seed in range(5):
        labels = scene(shape, seed)
        assert row_order(fault(labels)) == (Scrambled.SURELY, along_rows)
        assert row_order(labels).scrambled is Scrambled.NO


def patterns(shape: tuple[int, int], seed: int) -> dict[str, Labels]:
    """What repeats, and what has no borders that go on."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:shape[0], :shape[1]]
    tile = scene((shape[0], shape[0]), seed)
    return {"checkerboard": (y // 8 + x // 8) % 2, "fine checkerboard": (y + x) % 2, "stripes": x // 4 % 2, "slanted": (x + 2 * y) // 8 % 3,
            "noise": rng.integers(0, 2, shape), "specks": (rng.random(shape) < 0.02).astype(int),
            "layers": np.repeat(rng.integers(0, 3, (shape[0], 1)), shape[1], 1), "nothing": np.zeros(shape, int),
            "tiles as wide as high": np.tile(tile, (1, 4))[:, :shape[1]],
            "grid of objects": np.kron(rng.permutation(400).reshape(20, 20), np.ones((8, 8), int))[:shape[0], :shape[1]]}


@pytest.mark.parametrize("shape", SHAPES)
def test_patterns_are_left_alone(shape: tuple[int, int]) -> None:
    for seed in range(3):
        for name, labels in patterns(shape, seed).items():
            assert row_order(labels).scrambled is not Scrambled.SURELY, name


def test_thin_lines_are_left_alone() -> None:
    y, x = np.mgrid[:97, :150]
    lines = [np.abs(np.sin(y / (5 + seed)) * 30 + 75 - x) < 1.5 for seed in range(5)]
    assert {row_order(each.astype(np.uint8)).scrambled for each in lines} == {Scrambled.NO}


def test_nothing_is_said_of_masks_that_are_square_or_nearly_so() -> None:
    for shape, told in (((96, 96), False), ((96, 100), False), ((96, 101), True)):
        assert (row_order(by_columns(scene(shape, 0))).scrambled is Scrambled.SURELY) is told


@pytest.mark.parametrize(("side", "told"), [(LEAST_SIDE, True), (LEAST_SIDE - 1, False)])
def test_nothing_is_said_of_small_masks(side: int, told: bool) -> None:
    assert (row_order(by_columns(scene((side, 90), 1))).scrambled is Scrambled.SURELY) is told


@pytest.mark.parametrize(("radius", "told"), [(6.5, Scrambled.SURELY), (5.5, Scrambled.PERHAPS), (1.5, Scrambled.NO)])
def test_few_borders_tell_little(radius: float, told: Scrambled) -> None:
    """A disc has two steps in each of its columns: 26, 22 and 6."""
    y, x = np.mgrid[:64, :100]
    assert row_order(by_columns(((y - 30) ** 2 + (x - 50) ** 2 < radius ** 2).astype(np.uint8))).scrambled is told

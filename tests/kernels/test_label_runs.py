from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from numpy.typing import NDArray

from labelguard.kernels import label_runs, tally
from tests.kernels.strategies import label_images


def same(labels: NDArray[Any], size: int) -> bool:
    records = tally.definition(labels, size)
    found = label_runs.tally_with_label_runs(labels, size)
    return np.array_equal(found[0], records) and np.array_equal(found[1], label_runs.definition(labels, records))


@given(label_images())
def test_compiled_equals_definition(labels: NDArray[Any]) -> None:
    assert same(labels, 256)


@given(label_images(below=6))
def test_compiled_equals_definition_for_few_classes(labels: NDArray[Any]) -> None:
    assert same(labels, 6) and same(np.ascontiguousarray(labels.T), 6)


@given(label_images(below=65536, dtype=np.uint16, longest=90))
def test_compiled_equals_definition_for_16_bits(labels: NDArray[Any]) -> None:
    assert same(labels, 65536)


def numbers(line: list[int], size: int = 256) -> tuple[Any, ...]:
    """What is counted in a picture of 20 equal rows, less what its straight columns give."""
    found = of(np.repeat(np.array([line], np.uint8), 20, axis=0), size)
    return dict(zip(("direct", "ramps", "bands", "ripples", "varied", "repeated", "looked", "short", "ends", "on_grid", "off_grid"),
                    found[:label_runs.TOTALS].tolist(), strict=True)), found[label_runs.TOTALS:].tolist()


def of(labels: NDArray[Any], size: int = 256) -> NDArray[Any]:
    return label_runs.definition(labels, tally.definition(labels, size))


def test_a_step_is_direct_where_ids_would_have_room_between() -> None:
    assert numbers([0] * 8 + [2] * 8)[0]["direct"] == 20
    assert numbers([0] * 8 + [1] * 8)[0]["direct"] == 0


def test_a_short_run_between_is_a_ramp_and_no_direct_step() -> None:
    found, by_id = numbers([0] * 8 + [3] * 2 + [7] * 8)
    assert (found["direct"], found["ramps"], found["repeated"], found["varied"]) == (0, 20, 19, 0)
    assert (found["looked"], found["short"], found["ends"], found["on_grid"]) == (20 * 18, 20 * 2, 20 * 2, 20)
    assert by_id == [16, 0, 16, 0, 20, 0]  # areas of 0, 3 and 7, then thin runs; an area begins where 4 rows above are of the same id


def test_a_longer_run_between_is_a_band() -> None:
    assert [numbers([0] * 8 + [3] * n + [7] * 8)[0]["bands"] for n in (4, 5, 12, 13)] == [0, 20, 20, 0]


def test_a_peak_is_no_ramp_and_overshoot_is_a_ripple() -> None:
    assert [numbers([0] * 8 + [9] * n + [3] * 8)[0]["ramps"] for n in (1, 4)] == [0, 0]
    assert [numbers([20] * 8 + [top] + [0] * 8)[0]["ripples"] for top in (21, 25, 29)] == [20, 20, 0]


def test_ramps_between_the_same_two_ids_are_compared() -> None:
    labels = np.repeat(np.array([[0] * 8 + [0] + [9] * 8], np.uint8), 20, axis=0)
    labels[:, 8] = np.arange(20) % 2 + 3
    totals = of(labels)
    assert (totals[label_runs.VARIED], totals[label_runs.REPEATED]) == (19, 0)


def test_busy_masks_are_sampled() -> None:
    labels = np.tile(np.arange(100, dtype=np.uint8) % 2 * 9, (100, 1))
    totals = of(labels)
    assert totals[label_runs.LOOKED] < labels.size / 3 and same(labels, 256)


def test_compiled_equals_definition_for_a_large_mask() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 7, (40, 38), np.uint8).repeat(10, axis=0).repeat(11, axis=1)
    labels[random.random(labels.shape) < 0.02] = 3
    assert labels.size >= label_runs.LARGE and same(labels, 256)


def test_after_a_wide_row_of_noise_no_other_is_looked_at() -> None:
    """It has so many runs that rows are halved 64 times: one more than a machine word can be shifted by."""
    labels = np.random.default_rng(0).integers(0, 200, (40, 4000)).astype(np.uint8)
    assert len(np.flatnonzero(np.diff(labels[0]))) // 64 + 2 == 64 and same(labels, 256)

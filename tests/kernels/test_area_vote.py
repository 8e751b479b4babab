from __future__ import annotations

from fractions import Fraction
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels.area_vote import area_vote, coverage, definition
from tests.drawn import examples
from tests.kernels.strategies import label_images

sizes = st.integers(1, 45)


def thresholds(size: int, **kept: int) -> np.ndarray:
    table = np.zeros(size, np.int64)
    for label, area in kept.items():
        table[int(label[1:])] = area
    return table


@given(label_images(below=300, dtype=np.uint16, longest=45), sizes, sizes, st.booleans(),
       st.dictionaries(st.integers(0, 299), st.integers(1, 400)))
@examples(200)
def test_compiled_equals_definition(labels: NDArray[Any], height: int, width: int, center: bool, kept: dict[Any, Any]) -> None:
    table = np.zeros(300, np.int64)
    for label, area in kept.items():
        table[label] = area
    expected = definition(labels, height, width, 300, table, center)
    assert np.array_equal(area_vote(labels, height, width, 300, table, center), expected)


@pytest.mark.parametrize("classes", [2, *(pytest.param(classes, marks=pytest.mark.slow) for classes in (3, 19, 150, 300))])
def test_compiled_equals_definition_on_noise_and_blocks(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for number in range(150):
        height, width, new_height, new_width, block = (int(n) for n in rng.integers(1, [48, 48, 48, 48, 9]))
        coarse = rng.integers(0, classes, (-(-height // block), -(-width // block)))
        labels = np.kron(coarse, np.ones((block, block), int))[:height, :width]
        labels = np.ascontiguousarray(labels.astype(np.uint16 if classes > 256 or number % 2 else np.uint8))
        arguments = (labels, new_height, new_width, classes, np.zeros(classes, np.int64), number % 3 == 0)
        assert np.array_equal(area_vote(*arguments), definition(*arguments))


@given(sizes, sizes)
def test_cells_share_out_every_pixel(source: int, cells: int) -> None:
    table = coverage(source, cells)
    assert (table.sum(axis=0) == cells).all() and (table.sum(axis=1) == source).all()
    cell, pixel = cells // 2, source // 2
    end, start = min(Fraction(cell + 1, cells), Fraction(pixel + 1, source)), max(Fraction(cell, cells), Fraction(pixel, source))
    exact = max(Fraction(0), end - start)
    assert table[cell, pixel] == exact * cells * source


@given(label_images(below=12, longest=40), sizes, sizes)
@examples(150)
def test_the_well_known_way_agrees_wherever_there_is_no_tie(labels: NDArray[Any], height: int, width: int) -> None:
    """cv2 INTER_AREA of one-hot planes and argmax; INTER_AREA means areas only where an axis does not grow."""
    height, width = min(height, labels.shape[0]), min(width, labels.shape[1])
    ids = np.unique(labels)
    down, across = coverage(labels.shape[0], height), coverage(labels.shape[1], width)
    areas = np.sort(np.stack([down @ (labels == label) @ across.T for label in ids]), axis=0)
    clear = areas[-1] > areas[-2] if len(ids) > 1 else np.ones((height, width), bool)
    planes = [cv2.resize((labels == label).astype(np.float32), (width, height), interpolation=cv2.INTER_AREA) for label in ids]
    known = ids[np.argmax(np.stack(planes), axis=0)]
    ours = area_vote(labels, height, width, 256, np.zeros(256, np.int64), False)
    assert np.array_equal(known[clear], ours[clear])


def test_planes_of_bytes_invent_ties_that_are_none() -> None:
    """255 * (img == v) as uint8, as is often written: 0 covers 3 of 9 pixels and 3 covers 4, but both round to a tie or worse."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, (311, 293)).astype(np.uint8)
    planes = [cv2.resize((255 * (labels == v)).astype(np.uint8), (17, 19), interpolation=cv2.INTER_AREA) for v in range(4)]
    rounded = np.argmax(np.stack(planes), axis=0)
    exact = definition(labels, 19, 17, 4, np.zeros(4, np.int64), False)
    assert (rounded != exact).any() and np.array_equal(area_vote(labels, 19, 17, 4, np.zeros(4, np.int64), False), exact)


def test_ties_go_to_the_lowest_id_or_to_the_one_nearest_to_the_middle() -> None:
    labels = np.array([[7, 7, 3, 3]] * 4, np.uint8)
    none = np.zeros(256, np.int64)
    assert area_vote(labels, 1, 1, 256, none, False).tolist() == [[3]]
    ring = np.array([[1, 1, 1, 1], [1, 7, 7, 1], [7, 7, 7, 7], [1, 1, 7, 7]], np.uint8)
    assert (ring == 1).sum() == 8
    assert area_vote(ring, 1, 1, 256, none, False).tolist() == [[1]]
    assert area_vote(ring, 1, 1, 256, none, True).tolist() == [[7]]


def test_a_kept_label_takes_a_cell_from_its_threshold_on() -> None:
    labels = np.zeros((4, 4), np.uint8)
    labels[:, 1] = 5  # a quarter of the cell, whose area is 16
    assert area_vote(labels, 1, 1, 256, thresholds(256, _5=4), False).tolist() == [[5]]
    assert area_vote(labels, 1, 1, 256, thresholds(256, _5=5), False).tolist() == [[0]]


@given(label_images(longest=60))
def test_the_same_size_gives_the_same_labels(labels: NDArray[Any]) -> None:
    for center in (False, True):
        assert np.array_equal(area_vote(labels, *labels.shape, 256, np.zeros(256, np.int64), center), labels)


@given(label_images(longest=30), st.integers(1, 4))
def test_enlarging_by_whole_factors_and_back_changes_nothing(labels: NDArray[Any], factor: int) -> None:
    none = np.zeros(256, np.int64)
    larger = area_vote(labels, labels.shape[0] * factor, labels.shape[1] * factor, 256, none, False)
    assert np.array_equal(larger, np.kron(labels, np.ones((factor, factor), np.uint8)))
    assert np.array_equal(area_vote(larger, *labels.shape, 256, none, False), labels)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels.erosion import definition, eroded_pixels
from tests.kernels.strategies import label_images


def boxes_of_the_id(labels: NDArray[Any], label: int, margin: int) -> int:
    inside = np.pad(labels == label, margin, constant_values=True)
    boxes = np.lib.stride_tricks.sliding_window_view(inside, (2 * margin + 1,) * 2)
    return int((boxes.all(axis=(2, 3)) & (labels == label)).sum())


@given(label_images(below=4, longest=40), st.integers(0, 3), st.sampled_from([1, 2, 3, 9, 127, 128]))
def test_equals_the_definition(labels: NDArray[Any], label: int, margin: int) -> None:
    assert eroded_pixels(labels, label, margin) == definition(labels, label, margin) == boxes_of_the_id(labels, label, margin)


@pytest.mark.parametrize("dtype", ["uint16", "int8", "int64", "uint64", ">u2"])
def test_the_type_of_the_labels_does_not_matter(dtype: str) -> None:
    labels = np.random.default_rng(0).integers(0, 2, (40, 40)).repeat(5, axis=0).repeat(5, axis=1).astype(dtype)
    assert eroded_pixels(labels, 1, 2) == definition(labels, 1, 2) > 0
    assert eroded_pixels(labels.T[::-1], 1, 2) == definition(labels, 1, 2)


def test_a_line_has_no_core() -> None:
    labels = np.zeros((40, 40), np.uint8)
    labels[:, 18:22] = 255
    assert eroded_pixels(labels, 255, 3) == 0 and eroded_pixels(labels, 255, 1) == 80


def test_the_core_of_an_area_reaches_the_frame() -> None:
    labels = np.zeros((40, 40), np.uint8)
    labels[:20] = 255
    assert eroded_pixels(labels, 255, 3) == 17 * 40


def test_an_id_that_fills_the_image_keeps_all_of_it() -> None:
    assert eroded_pixels(np.full((5, 3), 7), 7, 3) == 15 and eroded_pixels(np.full((5, 3), 7), 255, 3) == 0


def test_more_rows_than_a_byte_can_count() -> None:
    assert eroded_pixels(np.full((700, 3), 7), 7, 3) == 2100
    assert eroded_pixels(np.repeat([7, 8], [600, 100])[:, None].repeat(3, axis=1), 7, 3) == 3 * 597

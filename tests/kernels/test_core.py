from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels.core import core, definition
from tests.kernels.strategies import label_images


@given(label_images(below=4, longest=40), st.integers(0, 3), st.integers(1, 3))
def test_compiled_equals_definition(labels: NDArray[Any], label: int, margin: int) -> None:
    assert core(labels, label, margin) == definition(labels, label, margin)


def test_a_line_has_no_core() -> None:
    labels = np.zeros((40, 40), np.uint8)
    labels[:, 18:22] = 255
    assert core(labels, 255, 3) == 0 and core(labels, 255, 1) == 80


def test_the_core_of_an_area_reaches_the_frame() -> None:
    labels = np.zeros((40, 40), np.uint8)
    labels[:20] = 255
    assert core(labels, 255, 3) == 17 * 40

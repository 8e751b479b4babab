from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from labelguard.kernels import border
from tests.kernels.strategies import label_images


@given(label_images(below=4, longest=40), st.integers(0, 3), st.integers(1, 3))
def test_compiled_equals_definition(labels, label, margin):
    assert border.border(labels, label, margin).tolist() == border.definition(labels, label, margin).tolist()


def test_a_line_between_two_areas_has_no_core_and_lies_between():
    labels = np.zeros((40, 40), np.uint8)
    labels[:, 20:] = 1
    labels[:, 18:22] = 255
    pixels, core, runs, between, frame = border.border(labels, 255, 3)
    assert (pixels, core, runs, between, frame) == (160, 0, 40, 40, 8)


def test_an_area_has_a_core_that_reaches_the_frame():
    labels = np.zeros((40, 40), np.uint8)
    labels[:20] = 255
    pixels, core, runs, between, _ = border.border(labels, 255, 3)
    assert (pixels, core, runs, between) == (800, 17 * 40, 0, 0)

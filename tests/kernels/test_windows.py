from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels.windows import definition, windows_without
from tests.kernels.strategies import label_images


@st.composite
def questions(draw: st.DrawFn, dtype: type[Any] = np.uint8, below: int = 6, longest: int = 40) -> tuple[Any, ...]:
    """Labels, which of them to look for, and the size of a window."""
    labels = draw(label_images(below=below, dtype=dtype, longest=longest))
    member = np.array(draw(st.lists(st.booleans(), min_size=below, max_size=below)))
    return labels, member, draw(st.integers(1, labels.shape[0])), draw(st.integers(1, labels.shape[1]))


def plain(labels: NDArray[Any], member: NDArray[Any], height: int, width: int) -> int:
    """One window at a time."""
    return sum(not member[labels[row:row + height, column:column + width]].any()
               for row in range(labels.shape[0] - height + 1) for column in range(labels.shape[1] - width + 1))


@given(questions())
def test_the_definition_looks_at_every_window(question: tuple[Any, ...]) -> None:
    assert definition(*question) == plain(*question)


@given(questions(longest=150))
def test_compiled_equals_definition(question: tuple[Any, ...]) -> None:
    assert windows_without(*question) == definition(*question)


@given(questions(np.uint16, 300))
def test_compiled_equals_definition_on_16_bits(question: tuple[Any, ...]) -> None:
    assert windows_without(*question) == definition(*question)


def test_one_pixel_stands_in_the_way_of_all_windows_that_touch_it() -> None:
    labels = np.zeros((10, 12), np.uint8)
    labels[4, 5] = 1
    assert windows_without(labels, np.array([False, True]), 3, 4) == 8 * 9 - 3 * 4

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.kernels import label_runs, png_tally, tally
from tests.drawn import examples
from tests.files import pngs
from tests.kernels.strategies import label_images

filters = st.lists(st.integers(0, 4), min_size=1, max_size=7)


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@given(st.data(), filters)
@pytest.mark.slow
@examples(40)
def test_gives_the_facts_of_the_image_that_was_written(bits: int, data: st.DataObject, kinds: list[int]) -> None:
    labels = data.draw(label_images(below=1 << bits, dtype=np.uint16 if bits == 16 else np.uint8))
    raw = np.frombuffer(pngs.stream(labels, bits, kinds), np.uint8)
    image, expected = np.empty(labels.shape, labels.dtype), tally.definition(labels, 1 << bits)
    records, numbers = png_tally.png_tally(raw, *labels.shape, bits, image, True)
    assert np.array_equal(records, expected)
    assert np.array_equal(numbers, label_runs.definition(labels, records))
    assert np.array_equal(image, labels)
    records, numbers = png_tally.png_tally(raw, *labels.shape, bits, image[:0, :0], False)
    assert np.array_equal(records, expected) and not numbers.any()


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@given(st.integers(1, 9), st.integers(1, 140), st.randoms(use_true_random=False), st.sampled_from([0.02, 0.2, 1]))
@examples(40)
def test_compiled_equals_definition_on_any_stream(bits: int, height: int, width: int, random: Any, density: float | int) -> None:
    row_bytes = (width * bits + 7) // 8
    raw = bytearray(random.randrange(256) if random.random() < density else 0 for _ in range(height * (row_bytes + 1)))
    raw[::row_bytes + 1] = bytes(random.randrange(5) for _ in range(height))
    stream = np.frombuffer(bytes(raw), np.uint8)
    image, same_image = np.zeros((2, height, width), np.uint16 if bits == 16 else np.uint8)
    for with_label_runs in (False, True):
        found = png_tally.png_tally(stream, height, width, bits, image, with_label_runs)
        expected = png_tally.definition(stream, height, width, bits, same_image, with_label_runs)
        assert all(np.array_equal(a, b) for a, b in zip((image, *found), (same_image, *expected), strict=True))


@pytest.mark.parametrize(("bits", "expected"), [(1, [1, 0, 1, 0, 0, 1, 0, 1, 1]), (2, [2, 2, 1, 1, 3]), (4, [10, 5, 12]), (16, [0xA5C0])])
def test_unpacks_big_end_first(bits: int, expected: list[int]) -> None:
    packed = np.array([[0xA5, 0xC0]], np.uint8)
    assert png_tally.unpack(packed, len(expected), bits).tolist() == [expected]

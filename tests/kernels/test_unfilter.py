from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.kernels import unfilter
from tests.files import pngs
from tests.kernels.strategies import label_images

filters = st.lists(st.integers(0, 4), min_size=1, max_size=7)


@given(label_images(longest=60), filters)
def test_undoes_what_an_independent_writer_did(labels: NDArray[Any], kinds: list[int]) -> None:
    raw = np.frombuffer(pngs.stream(labels, 8, kinds), np.uint8)
    assert np.array_equal(unfilter.unfilter(raw, *labels.shape, 1), labels)


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([1, 2, 3, 4, 6, 8]), st.randoms(use_true_random=False))
def test_compiled_equals_definition_on_any_stream(height: int, pixels: int, step: int, random: Any) -> None:
    row_bytes = pixels * step
    raw = bytearray(random.randbytes(height * (row_bytes + 1)))
    raw[::row_bytes + 1] = bytes(random.randrange(5) for _ in range(height))
    stream = np.frombuffer(bytes(raw), np.uint8)
    assert np.array_equal(unfilter.unfilter(stream, height, row_bytes, step), unfilter.definition(stream, height, row_bytes, step))

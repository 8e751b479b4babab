"""Label images for property tests: blocky like labels, noisy like nothing good, of every small shape."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray


@st.composite
def label_images(draw: st.DrawFn, below: int = 256, dtype: type = np.uint8, longest: int = 150) -> NDArray[np.unsignedinteger]:
    """(H, W) labels below `below`: noise enlarged into blocks, with some stray pixels."""
    height, width = draw(st.integers(1, 20)), draw(st.integers(1, longest))
    rng = np.random.default_rng(draw(st.integers(0, 2 ** 32 - 1)))
    palette = rng.integers(0, below, draw(st.integers(1, 12)))
    block = draw(st.integers(1, 40))
    coarse = palette[rng.integers(0, len(palette), (-(-height // block), -(-width // block)))]
    labels = np.kron(coarse, np.ones((block, block), int))[:height, :width]
    stray = rng.random(labels.shape) < draw(st.sampled_from([0, 0.01, 0.3]))
    labels[stray] = rng.integers(0, below, int(stray.sum()))
    return np.ascontiguousarray(labels.astype(dtype))

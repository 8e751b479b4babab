"""Entropy: the bits of columns whose proportions are known before, which no code for them falls short of (Shannon 1948)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import priors
from labelguard.explanations.sightings import NUM_AREAS


def entropy(table: NDArray[np.int64], files: int | None) -> float:
    """The bits of which of so many files hold each id, and of how large it is there; of sizes alone where no number of files is given.

    Parameters
    ----------
    table
        (C, 1 + NUM_AREAS + NUM_FRAMES) how many files hold what each column stands for, and in how many it has a size of each order.
    files
        All files, of which no column has more.
    """
    there, areas, frames = table[:, 0], table[:, 1:NUM_AREAS + 1], table[:, NUM_AREAS + 1:]
    bits = priors.SIZES * sum(float(_logs(each.sum(1)).sum() - _logs(each).sum()) for each in (areas, frames))
    return bits if files is None else bits + float((_logs(np.array(files)) - _logs(there) - _logs(files - there)).sum())


def _logs(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """n log2 n, 0 for none."""
    return np.multiply(numbers, np.log2(np.maximum(numbers, 1)))

"""Suspects: pixels whose id alone may be what a loss cannot take."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from labelguard.lossprobe.search.neutral_masks import Pixel
from labelguard.lossprobe.supervisor.outcome import Labels


@dataclass(frozen=True, slots=True)
class Candidate:
    """An id in one mask.

    Parameters
    ----------
    value
        The id.
    pixel
        Its first pixel, as (sample, row, column).
    pixels
        How many it has in that mask.
    """

    value: int
    pixel: Pixel
    pixels: int


def candidates(labels: Labels, classes: Collection[int], ignore: Sequence[int]) -> list[Candidate]:
    """Ids that are no class: illegal ones, ordered by mask and id, before those that are ignored.

    Parameters
    ----------
    labels
        A batch (N, H, W).
    classes
        What the loss can be expected to take.
    ignore
        What it is expected to skip.
    """
    unlawful = ~np.isin(labels, np.fromiter(classes, np.int64))
    found = []
    for index in np.flatnonzero(unlawful.any(axis=(1, 2))):
        places = np.flatnonzero(unlawful[index])
        values, first, counts = np.unique(labels[index].ravel()[places], return_index=True, return_counts=True)
        for value, place, pixels in zip(values, places[first], counts, strict=True):
            row, column = divmod(int(place), labels.shape[2])
            found.append(Candidate(int(value), (int(index), row, column), int(pixels)))
    return sorted(found, key=lambda candidate: candidate.value in ignore)

"""Candidates: ids, each in one mask, that may by themselves be the cause of a failure."""

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
        Number of its pixels in that mask.
    """

    value: int
    pixel: Pixel
    pixels: int


def candidates(labels: Labels, classes: Collection[int], ignore: Sequence[int]) -> list[Candidate]:
    """The ids that are not a class: illegal ones first, ordered by mask and id, then those that are ignored.

    Parameters
    ----------
    labels
        A batch (N, H, W).
    classes
        The ids that the loss can be expected to accept.
    ignore
        The ids that it is expected to skip.
    """
    illegal = ~np.isin(labels, np.fromiter(classes, np.int64))
    found = []
    for index in np.flatnonzero(illegal.any(axis=(1, 2))):
        places = np.flatnonzero(illegal[index])
        values, first, counts = np.unique(labels[index].ravel()[places], return_index=True, return_counts=True)
        for value, place, pixels in zip(values, places[first], counts, strict=True):
            row, column = divmod(int(place), labels.shape[2])
            found.append(Candidate(int(value), (int(index), row, column), int(pixels)))
    return sorted(found, key=lambda candidate: candidate.value in ignore)

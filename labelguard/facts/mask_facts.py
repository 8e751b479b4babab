"""MaskFacts: what one pass over a mask learns; DatasetFacts: their running sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Storage
from labelguard.kernels.factorize import MANY, factorize

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Colors:
    """What stands where ids should: the pixels of a file with several channels.

    Parameters
    ----------
    equal
        Whether the color channels are equal in every pixel, so that one of them may hold ids.
    distinct
        Number of distinct colors, alpha left out.
    common
        The most frequent colors with their pixel counts, most frequent first, at most 16.
    alpha
        Lowest and highest alpha, None without an alpha channel.
    varying
        Names of the channels that are not constant, such as ``("red",)``.
    """

    equal: bool
    distinct: int
    common: tuple[tuple[tuple[int, ...], int], ...] = ()
    alpha: tuple[int, int] | None = None
    varying: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fractions:
    """What stands where ids should: a float mask with values that are no integers.

    Parameters
    ----------
    nonfinite, fractional
        How many pixels are NaN or infinite, and how many lie between integers.
    first
        The first such pixel as (row, column).
    low, high
        Range of the finite values.
    near
        Whether every finite value lies within 0.001 of an integer, so that rounding is safe.
    """

    nonfinite: int
    fractional: int
    first: tuple[int, int]
    low: float
    high: float
    near: bool


class ErosionStats(NamedTuple):
    """Whether one id is a line or an area; gathered only for ids that may be a void label or a wrapped one.

    Parameters
    ----------
    pixels, core
        Pixels of the id, and those that survive erosion with a box of 3 to 7 pixels, by the size of the image.
    files, framed
        Number of masks that hold the id, and of those in which it reaches the frame of the image.
    """

    pixels: int
    core: int
    files: int = 1
    framed: int = 0

    def plus(self, other: ErosionStats) -> ErosionStats:
        """The sum over masks."""
        return ErosionStats(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class MaskFacts:
    """What one pass over a mask learns.

    Parameters
    ----------
    shape
        (H, W).
    dtype
        Type of the labels as stored, such as ``"uint8"``.
    ids, counts
        The ids present, ascending, and their exact pixel counts. Empty where the pixels are no ids.
    records
        The same and more as an array: see `kernels.tally`, whose ids may be codes. None where the pixels are no ids.
    stored
        How the mask lay on disk; None for one that never did.
    colors, fractions
        Set where the file holds colors or fractions.
    outlines
        The optional group of facts on the shape of single ids.
    ramps
        The optional group of facts on how ids change along rows and columns.
    """

    shape: tuple[int, int]
    dtype: str
    ids: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    records: NDArray[np.int64] | None = None
    stored: Storage | None = None
    colors: Colors | None = None
    fractions: Fractions | None = None
    outlines: dict[int, ErosionStats] = field(default_factory=dict)
    ramps: LabelRuns | None = None

    @property
    def firsts(self) -> tuple[tuple[int, int], ...]:
        """For each id its first pixel in row order as (row, column)."""
        return () if self.records is None else tuple((row, column) for row, column in self.records[:, 2:4].tolist())

    @property
    def boxes(self) -> tuple[Box, ...]:
        """For each id its bounding box, the ends outside."""
        if self.records is None:
            return ()
        return tuple((top, left, bottom, right) for top, left, bottom, right in self.records[:, 4:].tolist())

    @property
    def pixels(self) -> int:
        """Height times width."""
        return self.shape[0] * self.shape[1]

    @property
    def exact(self) -> bool:
        """Whether the ids are what somebody labelled: no colors, no fractions, no lossy codec."""
        return bool(self.ids) and not (self.stored is not None and self.stored.lossy)

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        return self.counts[self.ids.index(label)] if label in self.ids else 0

    @classmethod
    def of_labels(cls, labels: NDArray[np.integer | np.bool_], stored: Storage | None = None, with_ramps: bool = False) -> MaskFacts:
        """Gather the facts of a label array.

        Parameters
        ----------
        labels
            (H, W) array of any integer type or of truth values, any strides.
        stored
            How it lay on disk.
        with_ramps
            Whether to gather how ids change along rows and columns; not done for more than 65,536 ids.
        """
        codes, size, ids_of = factorize(labels)
        from labelguard.kernels import label_runs as ramps
        from labelguard.kernels import tally
        kernel = tally.tally if size <= MANY else tally.definition  # the compiled one keeps a table of `size` entries
        records = kernel(codes, size)
        found = LabelRuns.of(ramps.ramps(codes, records)) if with_ramps and size <= MANY else None
        return cls.of_records(records, labels.shape, labels.dtype.name, stored, ids_of, found)

    @classmethod
    def of_records(cls, records: NDArray[np.int64], shape: tuple[int, ...], dtype: str, stored: Storage | None,
                   ids_of: NDArray[np.integer] | None = None, ramps: LabelRuns | None = None) -> MaskFacts:
        """Make facts of the records of `kernels.tally`; `ids_of` gives the id for each code where codes were tallied."""
        ids = records[:, 0] if ids_of is None else ids_of[records[:, 0]]
        return cls((shape[0], shape[1]), dtype, tuple(ids.tolist()), tuple(records[:, 1].tolist()), records, stored, ramps=ramps)

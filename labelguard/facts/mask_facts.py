"""MaskFacts: what one pass over a mask learns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Storage
from labelguard.kernels.factorize import MANY, factorize

MOST_COLORS = 1 << 18
"""Beyond so many, colors are those of a photograph, and are not counted to the last one."""

_Box = tuple[int, int, int, int]

_INT64_MAX = np.iinfo(np.int64).max
_NO_IDS = np.empty(0, np.int64)
_NO_RECORDS = np.empty((0, 9), np.int64)
_NO_IDS.flags.writeable = _NO_RECORDS.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Colors:
    """What stands where ids should: the pixels of a file with several channels.

    Parameters
    ----------
    equal
        Whether the color channels are equal in every pixel, so that one of them may hold ids.
    distinct
        Number of distinct colors, alpha left out; where they are more than `MOST_COLORS`, at least so many.
    common
        The most frequent colors with their pixel counts, most frequent first, at most 256.
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

    @property
    def how_many(self) -> str:
        """The number of colors in words: ``12``, ``at least 300,000``."""
        return f"{'at least ' if self.distinct > MOST_COLORS else ''}{self.distinct:,}"


@dataclass(frozen=True, slots=True)
class Fractions:
    """What stands where ids should: a float mask with values that are not integers.

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


class Region(NamedTuple):
    """All pixels of some ids of one mask taken together.

    Parameters
    ----------
    ids
        The ids, ascending.
    num_pixels
        How many pixels they have.
    first
        The first of these pixels in row order, as (row, column).
    bbox
        Their bounding box as (row0, column0, row1, column1), the ends outside.
    """

    ids: tuple[int, ...]
    num_pixels: int
    first: tuple[int, int]
    bbox: _Box


class ErosionStats(NamedTuple):
    """Whether one id is a line or an area; gathered only for ids that may be a void label or a wrapped one.

    Parameters
    ----------
    num_pixels, eroded_pixels
        Pixels of the id, and those that survive erosion with a box of 3 to 7 pixels, by the size of the image.
    files, touching_border
        Number of masks that hold the id, and of those in which it touches the border of the image.
    least_pixels
        Pixels that it would need for its form to tell anything: in each mask, those of a box with sides twice as long, of which a third
        survives.
    """

    num_pixels: int
    eroded_pixels: int
    files: int = 1
    touching_border: int = 0
    least_pixels: int = 0

    @property
    def core(self) -> float | None:
        """The share of its pixels that survive; None where these are so few that an area has no core either."""
        return self.eroded_pixels / self.num_pixels if self.num_pixels >= self.least_pixels else None

    def plus(self, other: ErosionStats) -> ErosionStats:
        """The sum over masks."""
        return ErosionStats(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class MaskFacts:
    """What one pass over a mask learns. Per-id facts are read-only arrays, one row an id, named as in scikit-image's ``regionprops``.

    Parameters
    ----------
    shape
        (H, W).
    dtype
        Type of the labels as stored, such as ``"uint8"``.
    ids
        (N,) the ids present, ascending; int64, or uint64 where they do not fit. Empty where the pixels are not ids.
    records
        (N, 9) int64, a row for each id as `kernels.tally` makes them: the id or its code, number of pixels, row and column of the first
        pixel, bounding box, pixels along the frame. `num_pixels`, `first_pixels`, `bboxes` and `frame_pixels` are its columns.
    stored
        How the mask lay on disk; None for one that never did.
    colors, fractions
        Set where the file holds colors or fractions.
    erosion
        The optional group of facts on the shape of single ids.
    label_runs
        The optional group of facts on how ids change along rows and columns.

    Attributes
    ----------
    present
        The ids once more as a tuple of Python integers: for the few ids of most masks, that is faster to search than an array.
    """

    shape: tuple[int, int]
    dtype: str
    ids: NDArray[np.integer] = field(default_factory=lambda: _NO_IDS)
    records: NDArray[np.int64] = field(default_factory=lambda: _NO_RECORDS)
    stored: Storage | None = None
    colors: Colors | None = None
    fractions: Fractions | None = None
    erosion: Mapping[int, ErosionStats] = field(default_factory=FrozenDict)
    label_runs: LabelRuns | None = None
    present: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "present", tuple(self.ids.tolist()))

    @property
    def num_pixels(self) -> NDArray[np.int64]:
        """(N,) number of pixels of each id."""
        return self.records[:, 1]

    @property
    def first_pixels(self) -> NDArray[np.int64]:
        """(N, 2) first pixel of each id in row order, as row and column."""
        return self.records[:, 2:4]

    @property
    def bboxes(self) -> NDArray[np.int64]:
        """(N, 4) bounding box of each id as first row, first column, last row + 1, last column + 1."""
        return self.records[:, 4:8]

    @property
    def frame_pixels(self) -> NDArray[np.int64]:
        """(N,) number of pixels of each id along the four sides of the image, a corner counted once for each of its sides."""
        return self.records[:, 8]

    @property
    def pixels(self) -> int:
        """Height times width."""
        return self.shape[0] * self.shape[1]

    @property
    def exact(self) -> bool:
        """Whether the ids are what somebody labeled: no colors, no fractions, no lossy codec."""
        return bool(self.present) and not (self.stored is not None and self.stored.lossy)

    @property
    def counts(self) -> dict[int, int]:
        """Pixels by id, a fresh dict."""
        return dict(zip(self.present, self.num_pixels.tolist(), strict=True))

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        at = bisect_left(self.present, label)
        return int(self.records[at, 1]) if at < len(self.present) and self.present[at] == label else 0

    def region(self, ids: Iterable[int]) -> Region:
        """The pixels of some ids taken together.

        Raises
        ------
        ValueError
            When the mask holds none of these ids.
        """
        wanted = set(ids)
        chosen = [at for at, label in enumerate(self.present) if label in wanted]
        rows = self.records[chosen]
        if not chosen:
            raise ValueError("the mask holds none of these ids")
        row, column = divmod(int((rows[:, 2] * self.shape[1] + rows[:, 3]).min()), self.shape[1])
        top, left = rows[:, 4:6].min(axis=0).tolist()
        bottom, right = rows[:, 6:8].max(axis=0).tolist()
        return Region(tuple(self.present[at] for at in chosen), int(rows[:, 1].sum()), (row, column), (top, left, bottom, right))

    @classmethod
    def of_labels(cls, labels: NDArray[np.integer | np.bool_], stored: Storage | None = None, with_label_runs: bool = False,
                  take: Callable[[int], None] | None = None) -> MaskFacts:
        """Gather the facts of a label array.

        Parameters
        ----------
        labels
            (H, W) array of any integer type or of truth values, any strides.
        stored
            How it lay on disk.
        with_label_runs
            Whether to gather how ids change along rows and columns; not done for more than 65,536 ids.
        take
            Is told the bytes that are about to be allocated; it may raise.
        """
        codes, size, ids_of = factorize(labels, take)
        from labelguard.kernels import label_runs, tally
        if not with_label_runs or size > MANY:
            return cls.of_records(tally.tally(codes, size), labels.shape, labels.dtype.name, stored, ids_of)
        records, numbers = label_runs.tally_with_label_runs(codes, size)
        found = LabelRuns.of(numbers)
        return cls.of_records(records, labels.shape, labels.dtype.name, stored, ids_of, found)

    @classmethod
    def of_records(cls, records: NDArray[np.int64], shape: tuple[int, ...], dtype: str, stored: Storage | None,
                   ids_of: NDArray[np.integer] | None = None, label_runs: LabelRuns | None = None) -> MaskFacts:
        """Make facts of the records of `kernels.tally`; `ids_of` gives the id for each code where codes were tallied.

        The records become read-only.
        """
        records.flags.writeable = False
        if ids_of is None:
            ids: NDArray[np.integer] = records[:, 0]
        else:
            ids = ids_of[records[:, 0]]
            if ids.dtype != np.uint64 or int(ids[-1]) <= _INT64_MAX:
                ids = ids.astype(np.int64)
            ids.flags.writeable = False
        return cls((shape[0], shape[1]), dtype, ids, records, stored, label_runs=label_runs)

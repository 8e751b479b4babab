"""MaskFacts: what one pass over a mask learns; DatasetFacts: their running sum."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.boxes import BoxFile, InstanceSet
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.image import ImageSet
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Storage
from labelguard.facts.numbered_ids import NumberedIds, numbered_ids_of
from labelguard.kernels.factorize import MANY, factorize
from labelguard.pairing.alignment import AlignmentSet

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Colors:
    """What stands where ids should: the pixels of a file with several channels.

    Parameters
    ----------
    equal
        Whether the colour channels are equal in every pixel, so that one of them may hold ids.
    distinct
        Number of distinct colours, alpha left out.
    common
        The most frequent colours with their pixel counts, most frequent first, at most 16.
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
        Set where the file holds colours or fractions.
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
        """Whether the ids are what somebody labelled: no colours, no fractions, no lossy codec."""
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



class FileRecord(NamedTuple):
    """What is kept of each file that was read: enough for any rule about the set, and little."""

    path: str
    shape: tuple[int, int]
    ids: tuple[int, ...]
    counts: array[int]
    encoding: str
    exact: bool
    objects: NumberedIds | None = None
    ramps: LabelRuns | None = None

    def count(self, label: int) -> int:
        """Pixels of one id, 0 where it is absent."""
        return self.counts[self.ids.index(label)] if label in self.ids else 0


@dataclass(slots=True)
class DatasetFacts:
    """The running sum of what was learnt of each mask.

    Parameters
    ----------
    root
        The folder as the user wrote it, for commands that mend; ``SRC`` where there were several.
    records
        One for each file that was read, in the order of the report.
    skipped
        Hidden and junk files that were left out, relative to the root.
    unreadable
        How many files could not be read.
    pixels
        Pixels of all masks read.
    ids
        Pixels of each id, summed over all masks read.
    files_with
        Number of files that hold each id; only files whose ids are what somebody labelled (`MaskFacts.exact`).
    outlines
        The sums of the optional facts on the shape of single ids.
    images
        What was learnt of the images beside the masks; None where no images were given.
    boxes
        What was learnt of each file of boxes.
    instances
        The masks whose ids may be instances.
    palettes
        For each palette the places in `records` of the files that have it.
    alignment
        The masks that were seen beside their images: whether their edges lie in the same places.
    training
        The batches and crops that were asked about.
    smoothed
        The files whose ids were smoothed; None as long as nobody has looked.
    """

    root: str = "."
    records: list[FileRecord] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unreadable: int = 0
    pixels: int = 0
    ids: dict[int, int] = field(default_factory=dict)
    files_with: dict[int, int] = field(default_factory=dict)
    outlines: dict[int, ErosionStats] = field(default_factory=dict)
    images: ImageSet | None = None
    boxes: list[BoxFile] = field(default_factory=list)
    instances: InstanceSet = field(default_factory=InstanceSet)
    palettes: dict[bytes, list[int]] = field(default_factory=dict)
    alignment: AlignmentSet = field(default_factory=AlignmentSet)
    training: LoaderPlan = field(default_factory=LoaderPlan)
    smoothed: frozenset[str] | None = None
    _seen_ids: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict, repr=False)

    def add(self, path: str, facts: MaskFacts) -> None:
        """Take in one mask."""
        ids = self._seen_ids.setdefault(facts.ids, facts.ids)  # few sets of ids recur in many files: keep one of each
        exact = facts.exact
        encoding = facts.stored.encoding if facts.stored is not None else facts.dtype
        objects = numbered_ids_of(ids, facts.records, facts.shape[1]) if exact and facts.records is not None else None
        self.records.append(FileRecord(path, facts.shape, ids, array("q", facts.counts), encoding, exact, objects, facts.ramps))
        if facts.stored is not None and facts.stored.palette is not None:
            self.palettes.setdefault(facts.stored.palette, []).append(len(self.records) - 1)
        self.pixels += facts.pixels
        totals, files_with = self.ids, self.files_with
        for label, count in zip(ids, facts.counts, strict=True):
            totals[label] = totals.get(label, 0) + count
            if exact:
                files_with[label] = files_with.get(label, 0) + 1
        for label, outline in facts.outlines.items():
            self.outlines[label] = self.outlines[label].plus(outline) if label in self.outlines else outline

    @property
    def exact(self) -> list[FileRecord]:
        """The files whose ids are what somebody labelled: no colors, no fractions, no lossy codec."""
        return [record for record in self.records if record.exact]

    def distrusting(self, paths: Collection[str]) -> DatasetFacts:
        """The same facts, but without taking the ids of some files for what somebody labelled."""
        records = [record._replace(exact=False) if record.path in paths else record for record in self.records]
        return replace(self, records=records, files_with=dict(Counter(label for record in records if record.exact for label in record.ids)))

    def holding(self, *labels: int) -> Iterator[FileRecord]:
        """The exact files that hold any of some ids."""
        wanted = set(labels)
        return (record for record in self.records if record.exact and not wanted.isdisjoint(record.ids))

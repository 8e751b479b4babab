"""DatasetFacts: what was learnt of a whole set of masks."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from labelguard.facts.boxes import BoxFile
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.image import ImageSet
from labelguard.facts.instances import InstanceSet
from labelguard.facts.mask_facts import ErosionStats, MaskFacts
from labelguard.facts.numbered_ids import numbered_ids_of
from labelguard.facts.record import FileRecord
from labelguard.pairing.alignment import AlignmentSet


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
    erosion
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
    erosion: dict[int, ErosionStats] = field(default_factory=dict)
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
        ids = self._seen_ids.setdefault(facts.present, facts.present)  # few sets of ids recur in many files: keep one of each
        exact = facts.exact
        encoding = facts.stored.encoding if facts.stored is not None else facts.dtype
        objects = numbered_ids_of(ids, facts.records, facts.shape[1]) if exact else None
        num_pixels = array("q", facts.num_pixels.tobytes())
        self.records.append(FileRecord(path, facts.shape, ids, num_pixels, encoding, exact, objects, facts.label_runs))
        if facts.stored is not None and facts.stored.palette is not None:
            self.palettes.setdefault(facts.stored.palette, []).append(len(self.records) - 1)
        self.pixels += facts.pixels
        totals, files_with = self.ids, self.files_with
        for label, count in zip(ids, num_pixels, strict=True):
            totals[label] = totals.get(label, 0) + count
            if exact:
                files_with[label] = files_with.get(label, 0) + 1
        for label, erosion in facts.erosion.items():
            self.erosion[label] = self.erosion[label].plus(erosion) if label in self.erosion else erosion

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

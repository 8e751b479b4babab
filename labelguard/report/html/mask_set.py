"""MaskSet: one set of masks, or one split, as a page tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import Inference
from labelguard.facts.record import FileRecord
from labelguard.files.find import FileListing
from labelguard.files.image_folder import ImageFolder
from labelguard.finding import Finding
from labelguard.report.text import Fact
from labelguard.spec.labelspec import LabelSpec


@dataclass(frozen=True, eq=False, kw_only=True)
class MaskSet:
    """One set of masks, or one split, as a page tells of it.

    Parameters
    ----------
    name
        Of a split; empty where there is but one set.
    listing
        The files.
    data, trusted
        The facts; and those that checks on the set judged.
    spec, inference
        What was declared, and what was inferred where no class count was.
    images
        The images and their pairing with the masks; None where none were given.
    facts
        What was read, and what its ids are taken for.
    weighs
        Whether explanations of the ids were weighed.
    """

    listing: FileListing
    data: DatasetFacts
    trusted: DatasetFacts
    spec: LabelSpec
    inference: Inference | None = None
    images: ImageFolder | None = None
    facts: tuple[Fact, ...] = ()
    name: str = ""
    weighs: bool = True

    @property
    def verdict(self) -> Verdict | None:
        """What happened to the ids; None where there was nothing to weigh, or nobody did."""
        return verdict_on(self.trusted, self.spec) if self.weighs else None

    @cached_property
    def meaning(self) -> LabelSpec:
        """What ids are shown as: what was declared, else what was inferred."""
        if self.inference is None:
            return self.spec
        return LabelSpec(self.inference.spec.num_classes, self.spec.ignore_index or self.inference.spec.ignore_index)

    @cached_property
    def records(self) -> dict[str, FileRecord]:
        """What is kept of each mask that was read, by its name."""
        return {record.path: record for record in self.data.records}

    @cached_property
    def paths(self) -> dict[str, str]:
        """Where each mask lies, by its name."""
        return {name: path for path, name in self.listing.files}

    @cached_property
    def image_paths(self) -> dict[str, str]:
        """Where each image lies, by its name."""
        found = (*self.images.of_mask.values(), *self.images.unpaired) if self.images is not None else ()
        return {name: path for path, name in found}

    def own(self, name: str) -> str:
        """The name of a file within this set, of one that may begin with that of the split."""
        return name.removeprefix(f"{self.name}/") if self.name else name

    def has_image(self, name: str) -> bool:
        """Whether a mask can be shown over its image."""
        return self.images is not None and self.own(name) in self.images.of_mask

    def share(self, name: str, finding: Finding) -> tuple[int, float] | None:
        """How many pixels of a mask a finding concerns, and their share of the mask; None where a number would mean nothing."""
        record = self.records.get(self.own(name)) if finding.subject == "mask" else None
        if record is None:
            return None
        ids = frozenset(finding.ids)
        pixels = finding.pixels if finding.path is not None else record.pixels_of(ids) if ids else None
        return None if pixels is None else (pixels, pixels / prod(record.shape))


@dataclass(frozen=True)
class Sets:
    """The one set of masks that a page tells of, or the splits."""

    all: tuple[MaskSet, ...]

    def of(self, finding: Finding, path: str) -> MaskSet:
        """The set in which a file of a finding lies."""
        names = (each for each in self.all if each.name and (finding.split == each.name or path.startswith(f"{each.name}/")))
        return next(names, self.all[0])

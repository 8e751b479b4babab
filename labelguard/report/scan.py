"""ScanReport: what a scan of one set of masks found."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from labelguard._version import __version__
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.inference import Inference
from labelguard.files.find import FileListing
from labelguard.files.image_folder import ImageFolder
from labelguard.files.layouts import Layout
from labelguard.finding import Subject
from labelguard.report.explained import explained_dict, explained_lines
from labelguard.report.gated import GatedReport
from labelguard.report.json import batches_dict, crops_dict, dataset_dict, images_dict, masks_dict, spec_dict
from labelguard.report.skipped import reservations
from labelguard.report.table import Table, file_table
from labelguard.report.text import (
    Fact,
    box_lines,
    fact_lines,
    formats,
    manual_lines,
    pairing_facts,
    read_line,
    skipped_lines,
    spec_facts,
    training_facts,
    verdict,
)
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

if TYPE_CHECKING:
    from labelguard.report.html.mask_set import MaskSet


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScanReport(GatedReport):
    """What a scan found; the findings, and how to print them, are described in `labelguard.report.base.Report`.

    Parameters
    ----------
    listing
        The files, and what was left out.
    data
        The facts of the data set.
    trusted
        The same, without taking the ids of smoothed or otherwise unreliable files for labels: what checks on the set judged.
    spec
        What was declared.
    inference
        What was inferred where no class count was declared, else None.
    unselected
        How many checks a selection leaves out.
    images
        The images and their pairing with the masks, None where there are none.
    layout
        The layout of the data set, where one was found that tells masks from other files.
    source_of
        Folders that labelguard wrote, and which were left out, each with the folder that it was written from.
    explains
        Whether the text tells every explanation of the ids that was weighed.

    Examples
    --------
    >>> report = labelguard.scan("masks", spec=labelguard.LabelSpec(12))  # doctest: +SKIP
    >>> report  # doctest: +SKIP
    ScanReport(367 files, 2 errors, 1 warning)
    """

    listing: FileListing
    data: DatasetFacts
    trusted: DatasetFacts
    spec: LabelSpec
    inference: Inference | None = None
    unselected: int = 0
    images: ImageFolder | None = None
    layout: Layout | None = None
    source_of: Mapping[str, str] = field(default_factory=FrozenDict)
    explains: bool = False

    def table(self) -> Table:
        """The facts of each mask that was read; see `labelguard.report.table.file_table` for the columns."""
        return file_table(self.data)

    def what(self) -> str:
        """The number of masks."""
        return count(len(self.listing.files), "file")

    def path_of(self, name: str, subject: Subject = "mask") -> str:
        """Where a mask or an image lies that a finding names."""
        if subject == "image":
            return name if self.images is None else os.path.join(self.images.root, name)
        return self.listing.path_of(name)

    @property
    def unread(self) -> int:
        """How many files and folders could not be read, images among them."""
        images = self.data.images
        return self.data.unreadable + len(self.data.refused) + (0 if images is None else images.unreadable)

    def reservations(self) -> Iterator[str]:
        """Checks and masks that were left out, and files that could not be read."""
        return reservations(self.skipped_checks, self.unselected, self.missed, self.unread)

    @property
    def missed(self) -> int:
        """How many masks were not selected; what a layout leaves out is none."""
        return 0 if self.layout is not None else self._not_selected()

    def _not_selected(self) -> int:
        """How many files were left out that are neither images nor labelguard's own output."""
        own = tuple(f"{folder}/" for folder in self.source_of)
        left_out = sum(not name.startswith(own) for _, name in self.listing.left_out) if own else len(self.listing.left_out)
        return left_out - (self.images.count if self.layout is not None and self.layout.images and self.images is not None else 0)

    @property
    def verdict(self) -> Verdict | None:
        """What happened to the ids, and how sure that is: all explanations with their odds; None where there was nothing to weigh."""
        return verdict_on(self.trusted, self.spec)

    def explained(self) -> ScanReport:
        """The same report, whose text tells every explanation."""
        return replace(self, explains=True)

    def lines(self) -> Iterator[str]:
        """The text report, line by line, as `labelguard.report.style.rendered` takes it."""
        yield from self.overview()
        yield from self.finding_blocks(self.findings, self.data)
        if self.explains:
            yield from explained_lines(self.verdict, self.trusted, self.spec)
        yield ""
        yield verdict(self.findings, self.reservations(), self.complete)
        yield from self.gate_lines()
        yield from skipped_lines(self.skipped_checks)
        yield from self.left_out()
        yield from manual_lines(self.findings)
        if not self.complete:
            yield f"INCOMPLETE: {self.interruption()}"

    def left_out(self) -> Iterator[str]:
        """What was not looked at, in sentences."""
        if number := self._not_selected():
            yield f"Left out: {count(number, 'mask' if self.layout is None else 'file')} not selected."
        for folder, source in self.source_of.items():
            yield f"Left out: {folder}/, which labelguard wrote from {source or 'the masks'}/; scan it by its own name."
        if self.listing.others:
            others = listed(f"{n} {suffix or 'without a suffix'}" for suffix, n in sorted(self.listing.others.items()))
            yield f"Left out: files of other types ({others})."

    def interruption(self) -> str:
        """Where an incomplete scan broke off, as the end of a sentence."""
        done = len(self.data.records) + self.data.unreadable
        return f"interrupted after {done:,} of {len(self.listing.files):,} files."

    def overview(self) -> Iterator[str]:
        """What was read, and what its ids are taken for."""
        yield from box_lines(self.data)
        if self.listing.files:
            yield read_line(self.data, formats(self.data), len(self.listing.paths))
            yield from fact_lines(self.facts())

    def facts(self) -> Iterator[Fact]:
        """What the ids are taken for, which images belong to them, and what training will see of them."""
        if self.layout is not None:
            yield "layout", f"{self.layout} (if others are meant, say which with --include)"
        yield from spec_facts(self.data, self.spec, self.inference, self.origin, pairing_facts(self.images, self.data.images))
        yield from self.settings_facts()
        yield from training_facts(self.data, self.spec)

    def mask_set(self, name: str = "") -> MaskSet:
        """The set as a page tells of it, under the name of a split."""
        from labelguard.report.html.mask_set import MaskSet
        facts = (("masks", read_line(self.data, formats(self.data), len(self.listing.paths)).removeprefix(f"{self.data.root}: ")),)
        return MaskSet(name=name, listing=self.listing, data=self.data, trusted=self.trusted, spec=self.spec, inference=self.inference,
                       images=self.images, facts=(*(facts if self.listing.files else ()), *self.facts()))

    def to_html(self) -> str:
        """The report as a page for a browser, in one file, with pictures of the worst files: they are read again for that."""
        from labelguard.report.html.page import WebPage
        each = self.mask_set()
        broken_off = [] if self.complete else [f"Incomplete: {self.interruption()}"]
        return WebPage(command="scan", title=self.data.root if len(self.listing.paths) <= 1 else listed(self.listing.paths),
                       verdict=verdict(self.findings, self.reservations(), self.complete),
                       reserved=listed(self.reservations()), sets=(each,), meaning=each.meaning,
                       findings=self.findings, skipped_checks=self.skipped_checks,
                       remarks=(*broken_off, *self.gate_remarks(), *self.left_out())).html()

    def head(self) -> dict[str, Any]:
        """The JSON report without its findings, its summary and its exit code."""
        return {
            "labelguard": __version__,
            "command": "scan",
            "dataset": {**dataset_dict(self.data, len(self.listing.files)), "left_out": self.missed},
            "spec": spec_dict(self.spec, self.inference),
            "settings": self.settings and self.settings.to_dict(),
            "explanations": explained_dict(self.verdict, self.trusted, self.spec),
            "layout": None if self.layout is None else {
                "name": self.layout.name, "masks": [*self.layout.masks], "images": [*self.layout.images]},
            "own_output": {**self.source_of},
            "images": images_dict(self.images, self.data.images),
            "batches": batches_dict(self.data, self.spec),
            "crops": crops_dict(self.data),
            "boxes": [{"file": boxes.path, "boxes": boxes.boxes, "images": boxes.images} for boxes in self.data.boxes],
            "gate": self.gate_dict(),
            "skipped_checks": [{"code": skipped.code, "why": skipped.why} for skipped in self.skipped_checks],
            "judged": sorted(self.judged()),
            "masks": masks_dict(self.data),
        }

"""SplitsReport: what a scan of several splits found, one block for each split, then what the comparison shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from labelguard._version import __version__
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import Inference
from labelguard.finding import Finding, Subject
from labelguard.report.explained import explained_dict, explained_lines
from labelguard.report.gated import GatedReport, known
from labelguard.report.json import dataset_dict, finding_dict, images_dict, masks_dict, spec_dict
from labelguard.report.scan import ScanReport
from labelguard.report.skipped import reservations
from labelguard.report.style import style
from labelguard.report.table import Table, file_table
from labelguard.report.text import fact_lines, manual_lines, skipped_lines, verdict
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SplitsReport(GatedReport):
    """What a scan of several splits found.

    The `findings` are those of the splits and of the comparison, their files named like ``train/a.png``.

    Parameters
    ----------
    splits
        The report on each split as if it were alone, its files relative to its own folder; classes that it lacks are left to `compared`.
    data
        The facts of all splits as one set, its files named like ``train/a.png``.
    spec
        What was declared.
    inference
        What was inferred from all splits together where no class count was declared, else None.
    compared
        The findings of the comparison; none where the scan was interrupted.
    unselected
        How many checks a selection leaves out.
    """

    splits: Mapping[str, ScanReport]
    data: DatasetFacts
    spec: LabelSpec
    inference: Inference | None = None
    compared: tuple[Finding, ...] = ()
    unselected: int = 0

    def table(self) -> Table:
        """The facts of each mask that was read; see `labelguard.report.table.file_table` for the columns."""
        return file_table(self.data)

    def what(self) -> str:
        """The splits and the number of masks in each."""
        return ", ".join(f"{name}: {split.what()}" for name, split in self.splits.items())

    def path_of(self, name: str, subject: Subject = "mask") -> str:
        """Where a mask or an image lies that a finding names, after its split."""
        split, _, rest = name.partition("/")
        return self.splits[split].path_of(rest, subject) if split in self.splits else name

    def reservations(self) -> Iterator[str]:
        """Checks and masks that were left out, and files that could not be read, in all splits together."""
        yield from reservations(self.skipped_checks, self.unselected, self.missed, sum(split.unread for split in self.splits.values()))
        yield from (f"{name} has no masks" for name, split in self.splits.items() if not split.listing.files)

    @property
    def missed(self) -> int:
        """How many masks were not selected, in all splits together."""
        return sum(split.missed for split in self.splits.values())

    def finding_dict(self, finding: Finding) -> dict[str, Any]:
        """One finding as JSON shows it, with its split; `files` stays an iterable."""
        return finding_dict(finding) | {"split": finding.split}

    def to_html(self) -> str:
        """The report as a page for a browser, in one file, with pictures of the worst files: they are read again for that."""
        from labelguard.report.html.page import WebPage
        sets = tuple(split.mask_set(name) for name, split in self.splits.items() if split.listing.files)
        meaning = self.spec if self.inference is None else self.inference.spec
        broken_off = [] if self.complete else ["Incomplete: interrupted, so that the splits were not compared."]
        without = [f"{name} has no masks." for name, split in self.splits.items() if not split.listing.files]
        without += [f"{name}: {line}" for name, split in self.splits.items() for line in split.left_out()]
        return WebPage(command="scan", title=", ".join(self.splits), verdict=verdict(self.findings, self.reservations(), self.complete),
                       reserved=listed(self.reservations()), sets=sets, meaning=meaning, findings=self.findings,
                       skipped_checks=self.skipped_checks, remarks=(*broken_off, *self.gate_remarks(), *without)).html()

    def head(self) -> dict[str, Any]:
        """The JSON report without its findings, its summary and its exit code."""
        return {
            "labelguard": __version__,
            "command": "scan",
            "dataset": {**dataset_dict(self.data, sum(len(split.listing.files) for split in self.splits.values())),
                        "left_out": self.missed},
            "spec": spec_dict(self.spec, self.inference),
            "settings": self.settings and self.settings.to_dict(),
            "splits": {name: {"dataset": dataset_dict(split.data, len(split.listing.files)), "spec": spec_dict(split.spec, split.inference),
                              "explanations": explained_dict(split.verdict, split.trusted, split.spec),
                              "images": images_dict(split.images, split.data.images)} for name, split in self.splits.items()},
            "gate": self.gate_dict(),
            "skipped_checks": [{"code": skipped.code, "why": skipped.why} for skipped in self.skipped_checks],
            "judged": sorted(self.judged()),
            "masks": masks_dict(self.data),
        }

    def all_known(self) -> SplitsReport:
        """The same report, in which every finding is known that nobody has accepted."""
        splits = {name: split.all_known() for name, split in self.splits.items()}
        return replace(self, findings=known(self.findings), compared=known(self.compared), splits=splits)

    def explained(self) -> SplitsReport:
        """The same report, whose text tells every explanation of each split."""
        return replace(self, splits={name: split.explained() for name, split in self.splits.items()})

    def lines(self) -> Iterator[str]:
        """The text report, line by line, as `labelguard.report.style.rendered` takes it."""
        for name, split in self.splits.items():
            yield style(f"[{name}]", bold=True)
            yield from split.overview() if split.listing.files else _without_masks(split)
            yield from self.finding_blocks(split.findings, split.data)
            if split.explains:
                yield from explained_lines(split.verdict, split.trusted, split.spec)
            yield from split.left_out()
            yield ""
        yield style(f"[{' | '.join(self.splits)}]", bold=True)
        yield from fact_lines(self.settings_facts())
        if not self.complete:
            yield "INCOMPLETE: interrupted, so that the splits were not compared."
        elif not self.compared:
            yield "The splits do not differ in a way that matters."
        yield from self.finding_blocks(self.compared, self.data)
        yield ""
        yield verdict(self.findings, self.reservations(), self.complete)
        yield from self.gate_lines()
        yield from skipped_lines(self.skipped_checks)
        yield from manual_lines(self.findings)


def _without_masks(split: ScanReport) -> Iterator[str]:
    images = split.data.images
    rest = "nothing was checked" if images is None else f"{count(len(images.images), 'image')} read"
    yield f"{split.data.root}: no masks; {rest}"

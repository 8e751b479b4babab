"""ProbeReport: what a probe found, as text, JSON, HTML and a data frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from labelguard._version import __version__
from labelguard.checks.registry import all_rules
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import Inference
from labelguard.files.find import FileListing
from labelguard.finding import Finding, Subject
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.loss_summary import LossSummary
from labelguard.lossprobe.report_text import follow_up_lines, loss_fact, summary_lines
from labelguard.lossprobe.supervisor.settings import Settings
from labelguard.report.base import Report
from labelguard.report.finding_text import EVERYTHING, finding_lines
from labelguard.report.json import dataset_dict, spec_dict
from labelguard.report.table import Table, file_table
from labelguard.report.text import fact_lines, manual_lines, read_line, spec_facts, verdict, wrapped
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

_MOST_REMARKS = 10
_NO_GPU = "No GPU was used: device-side asserts, mixed precision on CUDA and GPU kernels were not exercised."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProbeReport(Report):
    """What a probe found; the findings, and how to print them, are described in `labelguard.report.base.Report`.

    Parameters
    ----------
    listing
        The files, and what was left out.
    data
        The facts of the masks that were read.
    spec
        What the ids mean: as declared, or as inferred.
    inference
        What was inferred where no class count was declared, else None.
    settings
        How the losses were called.
    losses
        What was done for each loss.
    remarks
        What was left out and why, in sentences.
    left_out
        How many masks were not probed, since the network has no image for them.
    complete
        False after an interruption, or where a loss was given up.
    interrupted
        Whether the user interrupted the probe.

    Examples
    --------
    >>> report = labelguard.probe("masks", loss="torch.nn:CrossEntropyLoss", spec=labelguard.LabelSpec(12))  # doctest: +SKIP
    >>> report  # doctest: +SKIP
    ProbeReport(367 masks, 1 loss, 1 error)
    """

    listing: FileListing
    data: DatasetFacts
    spec: LabelSpec
    settings: Settings
    losses: tuple[LossSummary, ...]
    inference: Inference | None = None
    remarks: tuple[str, ...] = ()
    left_out: int = 0
    interrupted: bool = False

    @property
    def on_gpu(self) -> bool:
        """Whether anything ran on a GPU."""
        return any(loss.handshake.get("device", "cpu") != "cpu" for loss in self.losses)

    def table(self) -> Table:
        """The facts of each mask that was read; see `labelguard.report.table.file_table` for the columns."""
        return file_table(self.data)

    def what(self) -> str:
        """The number of masks and of losses."""
        return f"{count(len(self.listing.files), 'mask')}, {count(len(self.losses), 'loss', 'losses')}"

    def judged(self) -> frozenset[str]:
        """The codes of the checks that a probe judges."""
        return frozenset(rule.code for rule in all_rules() if rule.found_by == "probe")

    def path_of(self, name: str, subject: Subject = "mask") -> str:  # noqa: ARG002
        """Where a mask lies that a finding names."""
        return self.listing.path_of(name)

    def reservations(self) -> Iterator[str]:
        """Masks that were not probed."""
        if self.left_out:
            yield f"{count(self.left_out, 'mask was', 'masks were')} not probed"

    def lines(self) -> Iterator[str]:
        """The text report, line by line, as `labelguard.report.style.rendered` takes it."""
        yield read_line(self.data, paths=len(self.listing.paths))
        yield from fact_lines(spec_facts(self.data, self.spec, self.inference, self.origin))
        for loss in self.losses:
            yield from summary_lines(loss)
        yield from finding_lines(self.findings, self.data, EVERYTHING)
        yield from follow_up_lines([finding for finding in self.findings if isinstance(finding, LossFinding)])
        yield ""
        yield self._verdict()
        for remark in self.remarks[:_MOST_REMARKS]:
            yield from wrapped("", remark[:1].upper() + remark[1:] + "." * (not remark.endswith(".")))
        if len(self.remarks) > _MOST_REMARKS:
            yield f"And {count(len(self.remarks) - _MOST_REMARKS, 'more remark')}."
        if not self.on_gpu:
            yield _NO_GPU
        yield from manual_lines(self.findings)
        yield from self._interruption()

    def to_html(self) -> str:
        """The report as a page for a browser, in one file, with pictures of the worst files: they are read again for that."""
        from labelguard.lossprobe.report_details import details_of
        from labelguard.report.html.mask_set import MaskSet
        from labelguard.report.html.page import WebPage
        facts = (("masks", read_line(self.data, paths=len(self.listing.paths)).removeprefix(f"{self.data.root}: ")),
                 *spec_facts(self.data, self.spec, self.inference, self.origin), *map(loss_fact, self.losses))
        each = MaskSet(listing=self.listing, data=self.data, trusted=self.data, spec=self.spec, inference=self.inference, facts=facts,
                       weighs=False)
        return WebPage(command="probe", title=self.data.root, verdict=self._verdict(), reserved=listed(self.reservations()), sets=(each,),
                       meaning=each.meaning, findings=self.findings, details_of=details_of,
                       remarks=(*self._interruption(), *self.remarks, *[_NO_GPU] * (not self.on_gpu))).html()

    def _verdict(self) -> str:
        return "Clean: every batch went through." if self.clean else verdict(self.findings, self.reservations(), self.complete)

    def _interruption(self) -> Iterator[str]:
        if not self.complete:
            yield f"INCOMPLETE: {'interrupted; ' * self.interrupted}not every batch went through every loss."

    def head(self) -> dict[str, Any]:
        """The JSON report without its findings, its summary and its exit code."""
        settings = self.settings
        return {
            "labelguard": __version__,
            "command": "probe",
            "dataset": dataset_dict(self.data, len(self.listing.files)),
            "spec": spec_dict(self.spec, self.inference),
            "losses": [_loss_dict(loss) for loss in self.losses],
            "settings": {"batch_size": settings.batch_size, "drop_last": settings.drop_last, "seed": settings.seed, "amp": settings.amp,
                         "framework": settings.framework},
            "coverage": {"cuda": self.on_gpu, "devices": sorted({str(loss.handshake["device"]) for loss in self.losses if loss.handshake})},
            "remarks": list(self.remarks),
            "skipped_checks": [],
            "interrupted": self.interrupted,
        }

    def finding_dict(self, finding: Finding) -> dict[str, Any]:
        """One finding as JSON shows it, except that `files` stays an iterable."""
        values = super().finding_dict(finding)
        if isinstance(finding, LossFinding):
            values |= {
                "loss": finding.loss, "level": finding.level, "phase": finding.phase, "regime": finding.regime,
                "batch": list(finding.batch), "sample": finding.sample, "first_file": finding.first_file or None,
                "exception": finding.exception, "native": finding.native, "source": finding.source,
                "value": _json_number(finding.value), "gradient": _json_number(finding.gradient),
                "repeats": list(finding.repeats), "verified_on": finding.verified_on, "expected_on_cuda": finding.expected_on_cuda,
                "repro": finding.repro, "wrapper": finding.wrapper, "wrapper_file": finding.wrapper_file,
            }
        return values


_NOT_REPORTED = ("op", "pid", "names", "parameters", "is_itself", "skipping")  # of what a worker says about itself


def _loss_dict(loss: LossSummary) -> dict[str, Any]:
    handshake = {key: value for key, value in loss.handshake.items() if key not in _NOT_REPORTED}
    return {"loss": loss.loss, "feed": loss.input_format, "batches": loss.batches, "worst": loss.worst, "failed": loss.failed,
            "runs": loss.passes, "starts": loss.starts, "largest": loss.largest, "stopped": loss.stopped, **handshake}


def _json_number(value: float | None) -> float | str | None:
    """JSON has no NaN and no infinity: they become text."""
    return value if value is None or math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"

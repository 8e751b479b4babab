"""The report on a probe, for people and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import click

from labelguard._version import __version__
from labelguard.finding import Finding, Severity
from labelguard.lossprobe import ProbeReport
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.one_loss import LossSummary
from labelguard.report.json import dataset_dict, finding_dict, spec_dict
from labelguard.report.text import finding_lines, spec_lines, verdict, wrapped
from labelguard.text import count, listed

_NO_GPU = "No GPU was used: device-side asserts, mixed precision on CUDA and GPU kernels were not exercised."
_NEUTRAL = "eutral mask"


def render(report: ProbeReport, format_: str, *, exit_code: int, origin: str = "", color: bool = False) -> str:
    """Render a report as ``"text"`` or ``"json"``; see `labelguard.report.render`."""
    if format_ == "json":
        return json.dumps(_dict(report, exit_code), indent=2, allow_nan=False) + "\n"
    text = "\n".join(_lines(report, origin)) + "\n"
    return text if color else click.unstyle(text)


def _lines(report: ProbeReport, origin: str) -> Iterator[str]:
    data = report.masks.data
    unreadable = f", {data.unreadable:,} unreadable" if data.unreadable else ""
    yield f"{data.root}: {count(len(data.records), 'mask')} read{unreadable}, {data.pixels:,} pixels"
    yield from spec_lines(data, report.spec, report.inference, origin)
    for summary in report.losses:
        yield from wrapped("probed:   ", _done(summary))
        if summary.stopped:
            yield from wrapped("          ", f"Stopped: {summary.stopped}.")
    yield from finding_lines(report.findings, data)
    yield from _more(report.findings)
    yield ""
    yield _summary(report)
    for remark in report.remarks:
        yield from wrapped("", remark[:1].upper() + remark[1:] + "." * (not remark.endswith(".")))
    if not report.on_gpu:
        yield _NO_GPU
    codes = list(dict.fromkeys(finding.code for finding in report.findings))
    if codes:
        yield f"Why, and what to do: labelguard rules {codes[0]}"
    if not report.complete:
        yield "INCOMPLETE: not every batch went through every loss."


def _more(findings: Sequence[Finding]) -> Iterator[str]:
    """What goes for all findings: a term, what a GPU would make of them, and how to see the first again."""
    seen = [finding for finding in findings if isinstance(finding, LossFinding)]
    lines = []
    if any(_NEUTRAL in text for finding in seen for text in (finding.message, *finding.evidence)):
        lines.append("Neutral masks are made up: they hold every class, and nothing that is no class.")
    for expected in dict.fromkeys(finding.expected_on_cuda for finding in seen if finding.expected_on_cuda):
        codes = listed(dict.fromkeys(finding.code for finding in seen if finding.expected_on_cuda == expected))
        lines += wrapped("", f"{codes} on a GPU, expected and not tried: {expected}.")
    for finding in seen:
        if finding.repro:
            which = f"the batch with {finding.path}" if finding.path and len(finding.batch) > 1 else finding.path or "the first such batch"
            lines.append(f"To repeat {which}: {click.style(finding.repro, fg='green')}")
            break
    if lines:
        yield from ["", *lines]


def _done(summary: LossSummary) -> str:
    handshake = summary.handshake
    where = ""
    if handshake:
        where = f" on {handshake.get('device_name', handshake['device'])} ({handshake['framework']}, Python {handshake['python']})"
    failed = f"; {summary.failed:,} failed" if summary.failed else ""
    worst = f" and {count(summary.worst, 'worst case')}" if summary.worst else ""
    fed = f"; {summary.input_format}" if summary.input_format else ""
    size = f" of up to {count(summary.largest, 'mask')}" if summary.largest else ""
    starts = f", {count(summary.starts, 'worker start')}" if summary.starts != 1 else ""
    if not summary.batches:
        return f"{summary.loss}{where}: no batch"
    return (f"{summary.loss}{where}: {count(summary.batches, 'batch', 'batches')}{size}{worst}{failed}{fed}; "
            f"{count(summary.passes, 'run')}{starts}")


def _summary(report: ProbeReport) -> str:
    if report.findings:
        return verdict(report.findings)
    return "Clean: every batch went through." if report.complete else "No findings up to here."


def _dict(report: ProbeReport, exit_code: int) -> dict[str, Any]:
    data, settings = report.masks.data, report.settings
    return {
        "labelguard": __version__,
        "command": "probe",
        "dataset": dataset_dict(data, len(report.masks.files)),
        "spec": spec_dict(report.spec, report.inference),
        "findings": [_finding(finding) for finding in report.findings],
        "losses": [_tally(summary) for summary in report.losses],
        "settings": {"batch_size": settings.batch_size, "drop_last": settings.drop_last, "seed": settings.seed, "amp": settings.amp,
                     "framework": settings.framework},
        "coverage": {"cuda": report.on_gpu, "devices": sorted({str(one.handshake["device"]) for one in report.losses if one.handshake})},
        "remarks": list(report.remarks),
        "skipped_checks": [],
        "summary": {severity.value: report.count(severity) for severity in Severity},
        "complete": report.complete,
        "exit_code": exit_code,
    }


def _tally(summary: LossSummary) -> dict[str, Any]:
    handshake = {key: value for key, value in summary.handshake.items() if key not in ("op", "pid")}
    return {"loss": summary.loss, "feed": summary.input_format, "batches": summary.batches, "worst": summary.worst,
            "failed": summary.failed,
            "runs": summary.passes, "starts": summary.starts, "largest": summary.largest, "stopped": summary.stopped, **handshake}


def _finding(finding: Finding) -> dict[str, Any]:
    values = finding_dict(finding)
    if "files" in values:
        values["files"] = list(values["files"])
    if isinstance(finding, LossFinding):
        values |= {
            "loss": finding.loss, "level": finding.level, "phase": finding.phase, "regime": finding.regime, "batch": list(finding.batch),
            "sample": finding.sample, "exception": finding.exception, "native": finding.native, "source": finding.source,
            "value": _number(finding.value), "gradient": _number(finding.gradient), "repeats": list(finding.repeats),
            "verified_on": finding.verified_on, "expected_on_cuda": finding.expected_on_cuda, "repro": finding.repro,
        }
    return values


def _number(value: float | None) -> float | str | None:
    """JSON has no NaN and no infinity: they become texts."""
    return value if value is None or math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"

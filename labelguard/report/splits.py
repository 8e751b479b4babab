"""The report on several splits, in each format: one block for each split, then what the comparison shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from labelguard._version import __version__
from labelguard.finding import Finding, Severity
from labelguard.report.json import dataset_dict, finding_dict, images_dict, spec_dict
from labelguard.report.text import finding_lines, overview, skipped_lines, verdict
from labelguard.runs.compare_splits import SplitsReport
from labelguard.text import count


def render(report: SplitsReport, format_: str, exit_code: int, origin: str, color: bool) -> str:
    """Render the report; see `labelguard.report.render`."""
    if format_ == "json":
        head = _head(report, exit_code)
        ordered = {key: head[key] for key in ("labelguard", "command", "dataset", "spec", "splits")}
        return json.dumps(ordered | {"findings": [_finding(finding) for finding in report.findings]} | head, indent=2) + "\n"
    if format_ == "jsonl":
        lines = [*(_finding(finding) for finding in report.findings), _head(report, exit_code)]
        return "".join(json.dumps(line) + "\n" for line in lines)
    text = "\n".join(_lines(report, origin)) + "\n"
    return text if color else click.unstyle(text)


def _finding(finding: Finding) -> dict[str, Any]:
    return finding_dict(finding) | {"split": finding.split}


def _head(report: SplitsReport, exit_code: int) -> dict[str, Any]:
    """Everything but the findings."""
    return {
        "labelguard": __version__,
        "command": "scan",
        "dataset": dataset_dict(report.data, sum(len(split.found.files) for split in report.splits.values())),
        "spec": spec_dict(report.spec, report.inference),
        "splits": {name: {"dataset": dataset_dict(split.data, len(split.found.files)), "spec": spec_dict(split.spec, split.inference),
                          "images": images_dict(split)} for name, split in report.splits.items()},
        "skipped_checks": [{"code": skipped.code, "why": skipped.why} for skipped in report.skipped_checks],
        "summary": {severity.value: report.count(severity) for severity in Severity},
        "complete": report.complete,
        "exit_code": exit_code,
    }


def _lines(report: SplitsReport, origin: str) -> Iterator[str]:
    for name, split in report.splits.items():
        yield click.style(f"[{name}]", bold=True)
        if split.found.files:
            yield from overview(split, origin)
        else:
            images = split.data.images
            rest = "nothing of it was checked" if images is None else f"{count(len(images.images), 'image')} read"
            yield f"{split.data.root}: no masks; {rest}"
        yield from finding_lines(split.findings, split.data)
        yield ""
    yield click.style(f"[{' | '.join(report.splits)}]", bold=True)
    if not report.complete:
        yield "INCOMPLETE: interrupted, so that the splits were not compared."
    elif not report.compared:
        yield "No difference between the splits that is a fault."
    yield from finding_lines(report.compared, report.data)
    yield ""
    yield verdict(report.findings)
    yield from skipped_lines(report.skipped_checks)
    if report.findings:
        yield f"Why, and what to do: labelguard rules {report.findings[0].code}"

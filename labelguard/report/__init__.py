"""How a scan is reported; one file a format. Each renders a `ScanReport`, `splits` one of several, and knows nothing of checks."""

from __future__ import annotations

from labelguard.report import json, jsonl, splits, text
from labelguard.runs.compare_splits import SplitsReport
from labelguard.runs.scan import ScanReport


def render(report: ScanReport | SplitsReport, format_: str, *, exit_code: int, origin: str = "", color: bool = False) -> str:
    """Render a report.

    Parameters
    ----------
    report
        What a scan found.
    format_
        ``"text"``, ``"json"`` or ``"jsonl"``.
    exit_code
        The exit code of the command, which JSON repeats.
    origin
        Where the spec was declared, in words.
    color
        Whether text may hold terminal colors.
    """
    if isinstance(report, SplitsReport):
        return splits.render(report, format_, exit_code, origin, color)
    if format_ == "json":
        return json.render(report, exit_code)
    if format_ == "jsonl":
        return jsonl.render(report, exit_code)
    return text.render(report, origin, color)

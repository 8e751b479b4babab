"""How a scan is reported; one file a format. Each renders a `ScanReport` and knows nothing of checks."""

from __future__ import annotations

from labelguard.report import json, jsonl, text
from labelguard.scanner import ScanReport


def render(report: ScanReport, format_: str, *, exit_code: int, origin: str = "", color: bool = False) -> str:
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
    if format_ == "json":
        return json.render(report, exit_code)
    if format_ == "jsonl":
        return jsonl.render(report, exit_code)
    return text.render(report, origin, color)

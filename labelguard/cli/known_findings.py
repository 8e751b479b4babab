"""The options --baseline and --write-baseline."""

from __future__ import annotations

import os
from collections.abc import Iterable

from labelguard.errors import IncompleteError, UsageError
from labelguard.report.baseline_file import check_baseline_place, holds_something
from labelguard.report.report_file import ReportFile
from labelguard.report.scan import ScanReport
from labelguard.report.splits import SplitsReport


def held_against(baseline: str | None, written: str, reports: Iterable[ReportFile]) -> str | None:
    """The baseline that a scan is held against which writes one: the one that it names, or the older one in the place.

    Raises
    ------
    IncompleteError, UsageError
        When a baseline cannot be written, before there is anything to lose, or a report is to lie in the same place.
    """
    if os.path.realpath(written) in {report.place for report in reports}:
        raise UsageError(f"'{written}' is to hold a report and the baseline; choose another name for one of them.")
    check_baseline_place(written)
    if baseline is not None and os.path.realpath(baseline) != os.path.realpath(written):
        return baseline
    return written if holds_something(written) else None


def known_from_now_on(report: ScanReport | SplitsReport, file: str) -> tuple[ScanReport | SplitsReport, IncompleteError | None]:
    """The report after its findings were written, or as it is and why they were not."""
    try:
        return report.write_baseline(file), None
    except IncompleteError as problem:
        return report, problem

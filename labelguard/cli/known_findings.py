"""The options --baseline and --write-baseline."""

from __future__ import annotations

import os

from labelguard.errors import IncompleteError
from labelguard.report.baseline_file import check_baseline_place, holds_something
from labelguard.report.scan import ScanReport
from labelguard.report.splits import SplitsReport


def held_against(baseline: str | None, written: str | None) -> str | None:
    """The baseline that a scan is held against: the one that it names, or the one that it will write anew.

    Raises
    ------
    IncompleteError, UsageError
        When a baseline cannot be written, before there is anything to lose.
    """
    if written is None:
        return baseline
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

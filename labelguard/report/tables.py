"""Tables in files: the findings, one a row, and the facts of each mask; as CSV for spreadsheets, and as Parquet for everything else."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TextIO

from labelguard.finding import Finding
from labelguard.report.base import FailOn, Report
from labelguard.report.table import FINDING_COLUMNS
from labelguard.text import printable

_LONGEST = 30_000  # characters; Excel takes 32,767 in a cell
_BETWEEN = " | "
_FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # what a spreadsheet may take for one; the last ones are wide


def finding_rows(report: Report) -> Iterator[tuple[Any, ...]]:
    """The findings in `FINDING_COLUMNS`; `files` and `evidence` are lists, `num_files` counts all files."""
    return (_row(finding) for finding in report.findings)


def _row(finding: Finding) -> tuple[Any, ...]:
    row, column = finding.first or (None, None)
    return (finding.severity.value, finding.code, finding.name, finding.split, finding.subject, finding.path, len(finding.concerns),
            finding.files, finding.message, finding.ids, finding.pixels, row, column, finding.box, finding.evidence, str(finding.fix),
            finding.accepted or None, finding.known)


def write_findings(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write the findings as CSV, one a row."""
    _write(FINDING_COLUMNS, finding_rows(report), file)


def write_facts(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write as CSV what was learned of each mask, one a row."""
    table = report.table()
    _write(table.columns, table.rows, file)


def _write(columns: Iterable[str], rows: Iterable[Iterable[Any]], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(_cell, row) for row in rows)


def _cell(value: Any) -> Any:
    """A value as a spreadsheet shows it: lists in one cell, and no text that would be run as a formula."""
    if value is None or isinstance(value, (int, float)):
        return str(value).lower() if isinstance(value, bool) else value
    items = [value] if isinstance(value, str) else [*islice(value, _LONGEST)]
    if not items or not isinstance(items[0], str):
        return _shortened(" ".join(map(str, items)), " ")
    text = _shortened(_BETWEEN.join(map(printable, items)), _BETWEEN)
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _shortened(text: str, between: str) -> str:
    """No more than a cell takes, with whole items."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(between)[0] or text[:_LONGEST]}{between}..."

"""What the name of a report file asks for: one table, from how it ends to what writes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Literal, Protocol, TextIO

from labelguard.errors import UsageError
from labelguard.finding import Severity
from labelguard.text import listed

Format = Literal["text", "json", "jsonl", "github"]
FailOn = Severity | Literal["error", "warning", "note"] | None

Writer = Callable[[Any, TextIO, FailOn], None]
"""``write(report, file, fail_on)``: writes a `labelguard.report.base.Report` to an open text file, in UTF-8, piece by piece; bytes go to
its ``buffer``. `fail_on` is the severity that makes the command fail.

It knows nothing of checks, opens no other file for writing, and raises OSError alone. What it writes has to be told again by how it begins:
`labelguard.report.recognize` knows that.
"""

_WRITERS = {  # by the end of a name, the longest first; imported when a report of that kind is asked for
    ".txt": "labelguard.report.written:write_text",
    ".html": "labelguard.report.html.page:write_html",
    ".json": "labelguard.report.written:write_json",
    ".jsonl": "labelguard.report.written:write_json_lines",
    ".sarif": "labelguard.report.sarif:write",
    ".xml": "labelguard.report.junit:write",
    "facts.csv": "labelguard.report.tables:write_facts",
    ".csv": "labelguard.report.tables:write_findings",
    "facts.parquet": "labelguard.report.parquet:write_facts",
    ".parquet": "labelguard.report.parquet:write_findings",
}
ENDINGS = tuple(_WRITERS)


class CanBeWritten(Protocol):
    """What is asked of a report here; `labelguard.report.base.Report` is it."""

    def write(self, file: TextIO, format_: Format = "text", *, fail_on: FailOn = Severity.ERROR) -> None:
        """Write it to an open text file."""


def writer_of(name: str) -> Writer:
    """What writes a report of that name.

    Raises
    ------
    UsageError
        When no report is called like that, or a library that it needs is not installed.
    """
    base = os.path.basename(name).lower()
    for ending, place in _WRITERS.items():
        if base.endswith(ending):
            try:
                writer: Writer = resolve_name(place)
            except ModuleNotFoundError as problem:
                raise UsageError(f"'{name}' needs {problem.name}, which is not installed: pip install 'labelguard[{ending.split('.')[1]}]'"
                                 ) from None
            return writer
    raise UsageError(f"'{name}' does not say what to write; a report ends in {listed(ENDINGS, len(ENDINGS), 'or')}.")


def write_text(report: CanBeWritten, file: TextIO, fail_on: FailOn) -> None:
    """What is printed, without colors."""
    report.write(file, "text", fail_on=fail_on)


def write_json(report: CanBeWritten, file: TextIO, fail_on: FailOn) -> None:
    """One object."""
    report.write(file, "json", fail_on=fail_on)


def write_json_lines(report: CanBeWritten, file: TextIO, fail_on: FailOn) -> None:
    """A finding a line, then one line with everything else."""
    report.write(file, "jsonl", fail_on=fail_on)

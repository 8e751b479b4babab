"""Report: what every report offers, whichever command it is from: text, JSON, HTML and a data frame."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, TextIO

from labelguard.errors import IncompleteError
from labelguard.finding import Finding, Severity, Subject
from labelguard.report.exit_codes import CLEAN, FINDINGS, INTERRUPTED
from labelguard.report.finding_text import finding_lines
from labelguard.report.frame import frame
from labelguard.report.json import chunks, finding_dict
from labelguard.report.limits import limits
from labelguard.report.skipped import SkippedCheck
from labelguard.report.style import rendered
from labelguard.report.table import Table
from labelguard.report.text import set_aside
from labelguard.report.written import FailOn as FailOn
from labelguard.report.written import Format as Format
from labelguard.text import count, printable, reason

if TYPE_CHECKING:
    import pandas

_FIRST_KEYS = ("labelguard", "command", "dataset", "spec", "splits")  # in JSON they stand before the findings


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report(ABC):
    """What a command found. ``str(report)`` is the text that the command prints.

    Parameters
    ----------
    findings
        Worst first; what concerns the whole set before what concerns one file; then by code and path.
    complete
        False after an interruption.
    origin
        Where the spec was declared, in words, such as ``--num-classes``; empty where a program declared it.
    skipped_checks
        Checks that could not be judged.
    """

    findings: tuple[Finding, ...]
    complete: bool = True
    origin: str = ""
    skipped_checks: tuple[SkippedCheck, ...] = ()

    # What each report says for itself

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """The text report, line by line, as `labelguard.report.style.rendered` takes it."""

    @abstractmethod
    def head(self) -> dict[str, Any]:
        """The JSON report without its findings, its summary and its exit code."""

    @abstractmethod
    def what(self) -> str:
        """What was looked at, in two or three words, such as ``367 files``."""

    @abstractmethod
    def table(self) -> Table:
        """The facts of each mask, one a row."""

    def judged(self) -> frozenset[str]:
        """The codes of the checks that were judged, as far as it is known."""
        return frozenset()

    def finding_dict(self, finding: Finding) -> dict[str, Any]:
        """One finding as JSON shows it, except that `files` stays an iterable."""
        return finding_dict(finding)

    def path_of(self, name: str, subject: Subject = "mask") -> str:  # noqa: ARG002
        """Where a file lies that a finding names: the name itself where nothing else is known."""
        return name

    def reservations(self) -> Iterator[str]:
        """Why nothing found does not yet mean clean, in words that follow "No findings;"; nothing where it does."""
        yield from ()

    @property
    def interrupted(self) -> bool:
        """Whether the work was broken off by the user."""
        return not self.complete

    # Judgement

    @property
    def clean(self) -> bool:
        """Whether all was looked at, by every check that could be asked for, and nothing was found; no finding alone is less than that."""
        return self.complete and not self.findings and not any(self.reservations())

    def count(self, severity: Severity | Literal["error", "warning", "note"]) -> int:
        """How many findings have a severity; those that are accepted or known are not counted."""
        return sum(finding.severity == severity for finding in self.findings if finding.counts)

    def failing(self, fail_on: FailOn = Severity.ERROR) -> list[Finding]:
        """The findings that are as bad as `fail_on`, or worse, and neither accepted nor known; none where that is None."""
        return [finding for finding in self.findings
                if fail_on is not None and finding.counts and finding.severity.rank >= Severity(fail_on).rank]

    def fails(self, fail_on: FailOn = Severity.ERROR) -> bool:
        """Whether there are such findings."""
        return bool(self.failing(fail_on))

    def failing_lines(self, fail_on: FailOn = Severity.ERROR) -> Iterator[str]:
        """The text of these findings, and nothing else."""
        yield from [*finding_lines(self.failing(fail_on), getattr(self, "data", None))][1:]  # without the empty line above them

    def wanted_lines(self, fail_on: FailOn) -> Iterator[str]:
        """As much of the text as was asked for."""
        return self.failing_lines(fail_on) if limits().only_failing else self.lines()

    def exit_code(self, fail_on: FailOn = Severity.ERROR) -> int:
        """The exit code of the command: 130 after an interruption, 1 where the report `fails`, else 0."""
        return INTERRUPTED if self.interrupted else FINDINGS if self.fails(fail_on) else CLEAN

    # Formats

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._summary()})"

    def __str__(self) -> str:
        return "\n".join(map(rendered, self.lines()))

    def _repr_html_(self) -> str:
        from labelguard.report.html.notebook import findings_html
        return findings_html(f"{type(self).__name__}: {self._summary()}", self.findings)

    def to_dict(self, fail_on: FailOn = Severity.ERROR) -> dict[str, Any]:
        """The JSON report as plain values; `fail_on` decides the exit code in it."""
        findings = [self.finding_dict(finding) for finding in self.findings]
        for values in findings:
            if "files" in values:
                values["files"] = list(values["files"])
        head = self._whole_head(fail_on)
        return {key: head[key] for key in _FIRST_KEYS if key in head} | {"findings": findings} | head

    def to_json(self, fail_on: FailOn = Severity.ERROR) -> str:
        """The JSON report as indented text with a final newline."""
        text = StringIO()
        self.write(text, "json", fail_on=fail_on)
        return text.getvalue()

    def write(self, file: TextIO, format_: Format = "text", *, fail_on: FailOn = Severity.ERROR, color: bool = False) -> None:
        """Write the report to an open text file, piece by piece: a finding about a million files is never held as one text.

        Parameters
        ----------
        file
            Open for writing.
        format_
            ``"text"``; ``"json"``, one indented object; ``"jsonl"``, one finding a line, then one line with everything else; or
            ``"github"``, annotations for GitHub Actions, then the text.
        fail_on
            The severity that makes the command fail; JSON repeats the exit code.
        color
            Whether text may hold terminal colors.
        """
        if format_ == "text":
            file.writelines(f"{rendered(line, color)}\n" for line in self.wanted_lines(fail_on))
            return
        if format_ == "github":
            resolve_name("labelguard.report.github:write")(self, file, fail_on)
            return
        findings = (self.finding_dict(finding) for finding in self.findings)
        head = self._whole_head(fail_on)
        if format_ == "json":
            whole = {key: head[key] for key in _FIRST_KEYS if key in head} | {"findings": findings} | head
            file.writelines(chunks(whole, indent=2))
            file.write("\n")
            return
        for values in (*findings, head):
            file.writelines(chunks(values))
            file.write("\n")

    def save(self, path: str | os.PathLike[str], *, fail_on: FailOn = Severity.ERROR) -> None:
        """Write the report to a file, in the format that its name asks for, whole or not at all; of what exists, only a report is replaced.

        Parameters
        ----------
        path
            Such as ``report.json``; `labelguard.report.written` has all endings.
        fail_on
            The severity that makes the command fail; some formats repeat the exit code.

        Raises
        ------
        IncompleteError
            When the file cannot be written.
        UsageError
            When the name says nothing of the format, or something would be lost that is not a report.
        """
        from labelguard.report.report_file import report_files
        file, = report_files([path])
        try:
            file.write(self, fail_on)
        except OSError as problem:
            raise IncompleteError(f"The report cannot be written to '{file.name}': {reason(problem)}.") from None

    def to_frame(self) -> pandas.DataFrame:
        """The findings as a pandas data frame, one a row.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        blank = Finding("", "", Severity.NOTE, "")
        columns = [*(key for key in self.finding_dict(blank) if key != "files"), "num_files"]
        return frame(({**self.finding_dict(finding), "num_files": len(finding.concerns)} for finding in self.findings), columns)

    def _whole_head(self, fail_on: FailOn) -> dict[str, Any]:
        return self.head() | {"summary": {severity.value: self.count(severity) for severity in Severity},
                              "clean": self.clean, "reservations": [*self.reservations()],
                              "complete": self.complete, "exit_code": self.exit_code(fail_on)}

    def _summary(self) -> str:
        """Such as ``367 files, 2 errors, 1 warning``, or ``367 files, no findings, 4 checks need --num-classes``."""
        counts = [(self.count(severity), severity.value) for severity in Severity]
        found = [count(number, word) for number, word in counts if number] or ["clean" if self.clean else "no findings"] * self.complete
        found += set_aside(self.findings)
        reserved = [] if self.count(Severity.ERROR) else [*self.reservations()]
        return printable(", ".join([self.what(), *found, *reserved, *["incomplete"] * (not self.complete)]))

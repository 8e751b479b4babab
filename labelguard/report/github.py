"""Annotations for GitHub Actions: workflow commands, one a line, that put findings beside the files of a pull request.

The format: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
from typing import TextIO

from labelguard.finding import Finding, Severity
from labelguard.report.base import FailOn, Report
from labelguard.report.repository import paths_of, repository_of
from labelguard.report.style import rendered
from labelguard.text import count, listed, printable, shortened

MOST_ANNOTATIONS = 10  # of a kind; GitHub shows no more of a step
_MOST_FILES = 3
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_COMMAND = re.compile(r"(^\s*(?=::)|##(?=\[))")  # what the runner would obey: a backslash goes into it


def write(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write the annotations, then the text report, in which no name of a file can pass for a command."""
    file.writelines(f"{line}\n" for line in _lines(report, fail_on))


def _lines(report: Report, fail_on: FailOn) -> Iterator[str]:
    for severity, kind in _KINDS.items():
        yield from _annotations(report, kind, [finding for finding in report.findings if finding.severity is severity and finding.counts])
    for line in report.wanted_lines(fail_on):
        yield _COMMAND.sub(r"\1\\", rendered(line))


def _annotations(report: Report, kind: str, findings: list[Finding]) -> Iterator[str]:
    """Findings of one severity, of each check the worst first; what goes beyond the limit is counted by the last line."""
    shown = [*_in_turns(findings)][:MOST_ANNOTATIONS if len(findings) <= MOST_ANNOTATIONS else MOST_ANNOTATIONS - 1]
    repository = repository_of(report)
    for finding in shown:
        paths = [repository.relative(path) or path for path in ([*paths_of(report, finding)] if finding.path is not None else [])]
        where = [f"file={_property(paths[0])}"] if paths else []
        yield f"::{kind} {','.join([*where, f'title={_property(_title(finding))}'])}::{_message(finding)}"
    if len(findings) > len(shown):
        rest = Counter(map(_title, findings))
        rest.subtract(map(_title, shown))
        codes = listed(f"{title} ({number:,})" for title, number in rest.items() if number)
        more = count(rest.total(), f"more {kind}")
        yield f"::{kind} title=labelguard::{_data(f'{more} without an annotation: {codes}.')}"


def _in_turns(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The first finding of each check, then the second ones, and so on: a check that finds much hides no other."""
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    return (finding for finding in chain.from_iterable(zip_longest(*by_code.values())) if finding is not None)


def _title(finding: Finding) -> str:
    return f"{finding.code} {finding.name}"


def _message(finding: Finding) -> str:
    """What is wrong, where, and how to mend it, in lines."""
    lines = [finding.located]
    if finding.files:
        rest = len(finding.files) - _MOST_FILES
        lines.append(f"In {', '.join(islice(finding.files, _MOST_FILES))}{f' and {rest:,} more' if rest > 0 else ''}.")
    lines += [f"Fix: {finding.fix}"] if finding.fix else []
    return "%0A".join(_data(line) for line in lines)


def _data(text: str) -> str:
    return printable(shortened(text)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

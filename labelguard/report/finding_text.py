"""The findings of the text report: a block for each code, with evidence, fix and the worst files; one page, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import prod

from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.report.by_file import by_file
from labelguard.report.limits import limits
from labelguard.report.style import style
from labelguard.report.text import wrapped
from labelguard.text import count, middle_out, percent

EVERYTHING = "--format json"  # of the commands that have it
ALL_OF_A_SCAN = "--verbose, or --format json,"

_LONGEST = 48  # characters of a name in a list
SEVERITY_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def finding_lines(findings: Iterable[Finding], data: DatasetFacts | None = None, everything: str = "") -> Iterator[str]:
    """Findings, sorted as they come: those of each code in a block while the page lasts, then a line for each code.

    Parameters
    ----------
    findings
        The worst first.
    data
        With it, findings about the set name the files that they concern most.
    everything
        Where all of them are, for who wants more than the page shows.
    """
    blocks = [list(block) for _, block in groupby(findings, key=lambda finding: (finding.severity, finding.code))]
    printed = told = 0
    while blocks[told:] and printed < limits().lines:
        lines = ["", *_block_lines(blocks[told], data)]
        yield from lines
        printed, told = printed + len(lines), told + 1
    if blocks[told:]:
        yield from ["", *map(_heading, blocks[told:])]
    shown, total = sum(map(_shown, blocks[:told])), sum(map(len, blocks))
    if everything and shown < total:
        yield from ["", f"{shown:,} of {count(total, 'finding')} shown, the worst of each check; {everything} has everything."]


def _shown(block: Sequence[Finding]) -> int:
    """How many of its findings a block shows."""
    paths = [finding.path for finding in block if finding.path is not None]
    return min(len(block) - len(paths), limits().of_set) + min(len(set(paths)), limits().files)


def _heading(findings: Sequence[Finding]) -> str:
    first = findings[0]
    tag = style(first.severity.value, SEVERITY_COLORS[first.severity], bold=True)
    numbers = how_many(findings)
    return f"{tag} {style(f'{first.code} {first.name}', bold=True)}{f' ({numbers})' if numbers else ''}"


def how_many(findings: Sequence[Finding]) -> str:
    """In how many files findings are, and how many there are where that is more."""
    files = len({path for finding in findings for path in finding.concerns})
    several = [count(len(findings), "finding")] if len(findings) > max(files, 1) else []
    return ", ".join([*several, *[count(files, "file")] * bool(files)])


def _block_lines(findings: list[Finding], data: DatasetFacts | None) -> Iterator[str]:
    """All findings of one code and severity."""
    yield _heading(findings)
    of_set = [finding for finding in findings if finding.path is None]
    for finding in of_set[:limits().of_set]:
        yield from _details(finding.message, finding.evidence, "  ")
        if data is not None:
            yield from _worst(finding, data)
        yield from _fix(finding.fix)
    if len(of_set) > limits().of_set:
        yield f"  and {count(len(of_set) - limits().of_set, 'more finding')} about the whole set"
    yield from _by_file([finding for finding in findings if finding.path is not None], data)


def _by_file(findings: list[Finding], data: DatasetFacts | None) -> Iterator[str]:
    """Findings on single files, the worst file first, with its worst finding; what all share is said once."""
    if not findings:
        return
    found = by_file(findings, data)
    if found.message:
        yield from _details(found.message, found.evidence, "  ")
    if found.trait:
        yield from wrapped("  - ", found.trait)
    for path, (worst, *others) in [*found.files.items()][:limits().files]:
        place = f" (row {worst.first[0]}, column {worst.first[1]})" if worst.first else ""
        more = f", and {count(len(others), 'more finding')} in this file" if others else ""
        yield f"{'    ' if found.message else '  '}{path}{place}{more}"
        if not found.message:
            yield from _details(worst.message, worst.evidence, "    ")
            if not found.one_fix:
                yield from _fix(worst.fix, "    ")
    if len(found.files) > limits().files:
        yield f"    and {count(len(found.files) - limits().files, 'more file')}"
    if found.one_fix:
        yield from _fix(findings[0].fix)


def _details(message: str, evidence: Sequence[str], indent: str) -> Iterator[str]:
    yield from wrapped(indent, message)
    for line in evidence[:limits().evidence]:
        yield from wrapped(f"{indent}- ", line)
    if len(evidence) > limits().evidence:
        yield f"{indent}- and {count(len(evidence) - limits().evidence, 'more line')}"


def _worst(finding: Finding, data: DatasetFacts) -> Iterator[str]:
    """The files that a finding about the set concerns most."""
    everything = len(data.records) if finding.subject == "mask" else 0
    if not finding.files or (len(finding.files) == everything and not finding.pixels):
        return
    wanted = set(finding.files)
    ids = frozenset(finding.ids)
    records = {record.path: record for record in data.records if record.path in wanted} if ids else {}
    pixels = {path: record.pixels_of(ids) for path, record in records.items()}
    ranked = sorted(finding.files, key=lambda path: (-pixels.get(path, 0), path))
    shown = [f"{middle_out(path, _LONGEST)} ({percent(pixels[path], prod(records[path].shape))})" if pixels.get(path)
             else middle_out(path, _LONGEST) for path in ranked[:limits().files]]
    rest = len(ranked) - len(shown)
    yield from wrapped("  files: ", ", ".join(shown) + (f" and {rest:,} more" if rest else ""))


def _fix(fix: Fix, indent: str = "  ") -> Iterator[str]:
    if fix.is_command:
        yield f"{indent}fix: {style(str(fix), 'green')}"  # one line, to be copied
        if fix.remark:
            yield f"{indent}({fix.remark})"
    elif fix.commands:
        yield from _with_commands(fix, f"{indent}fix: ")
    elif fix:
        yield from wrapped(f"{indent}fix: ", str(fix))


def _with_commands(fix: Fix, start: str) -> Iterator[str]:
    """Advice with commands in it, each on one line of its own, to be copied."""
    for text, is_command in fix.lines:
        if is_command:
            yield f"{start if start.strip() else start + '  '}{style(text, 'green')}"
        else:
            yield from wrapped(start, text)
        start = " " * len(start)

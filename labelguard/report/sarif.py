"""SARIF 2.1.0, as services read it that show findings beside a repository.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html. A mask has no lines; GitHub wants one, and gets the first.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Any, TextIO
from urllib.parse import quote

from labelguard._version import __version__
from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.finding import Finding
from labelguard.report.base import FailOn, Report
from labelguard.report.repository import Repository, paths_of, repository_of
from labelguard.text import count, printable, shortened

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

MOST_RESULTS = 5_000      # GitHub shows no more of a file
MOST_LOCATIONS = 1_000    # and takes no more of a result
MOST_BYTES = 10_000_000   # in all
_MOST_EVIDENCE = 10       # lines for a result
_BASE = "ROOT"
_FIRST_LINE = {"startLine": 1}


def write(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write a report as SARIF: each finding a result, one a line, the worst first, and at last what is accepted or known.

    What goes beyond the limits is counted.
    """
    repository = repository_of(report)
    codes = {finding.code for finding in report.findings}
    rules = [rule for rule in all_rules() if rule.code in codes]
    run = _run(report, fail_on, rules, repository)
    left = MOST_BYTES - 2 * len(json.dumps(run)) - 1_000
    places = {rule.code: place for place, rule in enumerate(rules)}
    results: list[str] = []
    for result in islice(_results(report, places, repository), MOST_RESULTS):
        results.append(json.dumps(result))
        left -= len(results[-1]) + 2
        if left < 0:
            results.pop()
            break
    cut = len(report.findings) - len(results)
    if cut:
        run["invocations"][0]["toolExecutionNotifications"].insert(0, _notification(
            "warning", f"{cut:,} of {count(len(report.findings), 'finding')} left out, the least serious ones: services take "
                       f"{MOST_RESULTS:,} results and {MOST_BYTES // 10**6} MB at most. A report of another kind has all of them."))
    log = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)
    start, end = log.rsplit('"results": []', 1)
    file.write(f'{start}"results": [')
    file.writelines(f"{',' if number else ''}\n{result}" for number, result in enumerate(results))
    file.write(f"]{end}\n")


def _run(report: Report, fail_on: FailOn, rules: list[Rule], repository: Repository) -> dict[str, Any]:
    """All but the results, which come last."""
    notes = [] if report.complete else [_notification("error", "The work was broken off: there may be more findings.")]
    notes += [_notification("note", f"{skipped.code} was not checked: {skipped.why}.") for skipped in report.skipped_checks]
    return {
        "tool": {"driver": {"name": "labelguard", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"uri": f"file://{_uri(repository.root)}/"}},
        "invocations": [{"executionSuccessful": report.complete, "exitCode": report.exit_code(fail_on),
                         "toolExecutionNotifications": notes}],
        "results": [],
    }


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": printable(text)}}


def _rule(rule: Rule) -> dict[str, Any]:
    """A rule with its manual, whose headings are those of Markdown."""
    does = next((" ".join(paragraphs[0].split()) for title, paragraphs in rule.sections if title == "What it does"), rule.summary)
    return {
        "id": rule.code, "name": rule.name, "shortDescription": {"text": rule.summary}, "fullDescription": {"text": does},
        "help": {"text": rule.manual, "markdown": rule.manual}, "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": ["segmentation", rule.code[:3]]},
    }


def _results(report: Report, places: dict[str, int], repository: Repository) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    against_baseline = any(finding.known for finding in report.findings)
    for finding in sorted(report.findings, key=lambda finding: not finding.counts):
        fingerprint = _fingerprint(finding)
        seen[fingerprint] += 1
        locations = [_location(path, repository) for path in islice(paths_of(report, finding), MOST_LOCATIONS)]
        yield {
            "ruleId": finding.code, "ruleIndex": places[finding.code], "level": finding.severity.value,
            "message": {"text": _text(finding)},
            "locations": locations or [_location(report.path_of("", finding.subject) or repository.root, repository)],
            **({"suppressions": [{"kind": "external", "justification": printable(finding.accepted)}]} if finding.accepted else {}),
            **({"baselineState": "unchanged" if finding.known else "new"} if against_baseline else {}),
            "partialFingerprints": {"labelguard/v1": f"{fingerprint}:{seen[fingerprint]}"},
            "properties": _properties(finding),
        }


def _text(finding: Finding) -> str:
    """The message with place, evidence and fix; square brackets would be links."""
    lines = [finding.located]
    lines += [f"- {line}" for line in finding.evidence[:_MOST_EVIDENCE]]
    if len(finding.files) > MOST_LOCATIONS:
        lines += [f"- {MOST_LOCATIONS:,} of {len(finding.files):,} files are named here"]
    lines += [f"Fix: {finding.fix}"] if finding.fix else []
    return "\n".join(printable(shortened(line)).replace("[", r"\[").replace("]", r"\]") for line in lines)


def _properties(finding: Finding) -> dict[str, Any]:
    """What SARIF has no place for: places in an image, ids and numbers."""
    values: dict[str, Any] = {"name": finding.name, "subject": finding.subject, "files": len(finding.concerns), "split": finding.split,
                              "ids": list(finding.ids), "pixels": finding.pixels, "first": finding.first, "box": finding.box}
    return {key: value for key, value in values.items() if value not in (None, [])}


def _fingerprint(finding: Finding) -> str:
    """What stays the same from one scan to the next, on any machine: check, file and ids; of a finding about the set, not its files."""
    parts = [finding.code, finding.subject, finding.split or "", finding.path or "", *map(str, finding.ids)]
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _location(path: str, repository: Repository) -> dict[str, Any]:
    relative = repository.relative(path)
    where = {"uri": f"file://{_uri(os.path.abspath(path))}"} if relative is None else {"uri": _uri(relative), "uriBaseId": _BASE}
    return {"physicalLocation": {"artifactLocation": where, "region": _FIRST_LINE}}


def _uri(path: str) -> str:
    """A path as a part of a URI, byte by byte."""
    path = path.replace(os.sep, "/")
    return quote(os.fsencode(f"/{path}" if path[1:2] == ":" else path))

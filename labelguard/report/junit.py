"""JUnit's XML, as GitLab, Jenkins and others read it: a test case for each check, however many files there are.

The format has no standard; https://github.com/testmoapp/junitxml describes what its readers have in common.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import TextIO
from xml.etree import ElementTree

from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.finding import Finding
from labelguard.report.base import FailOn, Report
from labelguard.text import count, printable, shortened

MOST_FINDINGS = 1_000  # findings of a check
_MOST_FILES = 100      # of a finding
_MOST_EVIDENCE = 10    # lines of a finding
_MOST_FIXES = 5        # of a check


def write(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write a report as JUnit's XML: what makes the command fail makes its test case fail, what else was found is told by it."""
    cases = [*_cases(report, fail_on)]
    numbers = {"tests": str(len(cases))} | {
        plural: str(sum(case.find(kind) is not None for case in cases))
        for kind, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped"))}
    root = ElementTree.Element("testsuites", {"name": "labelguard"} | numbers)
    ElementTree.SubElement(root, "testsuite", {"name": "labelguard"} | numbers).extend(cases)
    ElementTree.indent(root)
    file.write('<?xml version="1.0" encoding="utf-8"?>\n')
    file.write(ElementTree.tostring(root, encoding="unicode"))
    file.write("\n")


def _cases(report: Report, fail_on: FailOn) -> Iterator[ElementTree.Element]:
    """One for each check that was run or skipped, in the order of the codes; one more where the work was broken off."""
    skipped = {check.code: check.why for check in report.skipped_checks}
    judged, fails = report.judged(), {id(finding) for finding in report.failing(fail_on)}
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        by_code[finding.code].append(finding)
    for rule in all_rules():
        found = by_code[rule.code]
        if not found and rule.code not in judged and rule.code not in skipped:
            continue
        case = _case(f"{rule.code} {rule.name}")
        if found:
            _tell(case, rule, found, fails)
        elif rule.code in skipped:
            ElementTree.SubElement(case, "skipped", {"message": printable(skipped[rule.code])})
        yield case
    if not report.complete:
        case = _case("complete")
        ElementTree.SubElement(case, "error", {"message": "The work was broken off: there may be more findings.", "type": "incomplete"})
        yield case


def _case(name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"classname": "labelguard", "name": name})


def _tell(case: ElementTree.Element, rule: Rule, findings: Sequence[Finding], fails: Collection[int]) -> None:
    """What was found: as a failure what makes the command fail, and what does not as output."""
    failing = [finding for finding in findings if id(finding) in fails]
    others = [finding for finding in findings if id(finding) not in fails]
    if failing:
        message = f"{count(len(failing), 'finding')}: {rule.summary}"
        ElementTree.SubElement(case, "failure", {"type": failing[0].severity.value, "message": message}).text = _text(failing)
    if others:
        ElementTree.SubElement(case, "system-out").text = _text(others)


def _text(findings: Sequence[Finding]) -> str:
    lines = [printable(shortened(line)) for finding in findings[:MOST_FINDINGS] for line in _lines(finding)]
    lines += [f"and {count(len(findings) - MOST_FINDINGS, 'more finding')}"] * (len(findings) > MOST_FINDINGS)
    fixes = dict.fromkeys(str(finding.fix) for finding in findings if finding.fix)
    return "\n".join([*lines, *(f"fix: {printable(fix)}" for fix in islice(fixes, _MOST_FIXES))])


def _lines(finding: Finding) -> Iterator[str]:
    """The finding, and of one about the set what supports it, and its files."""
    aside = f" (accepted: {finding.accepted})" if finding.accepted else " (known)" if finding.known else ""
    yield f"{finding.severity.value}{aside}: {f'{finding.path}: ' if finding.path is not None else ''}{finding.located}"
    if finding.path is None:
        yield from (f"- {line}" for line in finding.evidence[:_MOST_EVIDENCE])
        yield from (f"- {name}" for name in islice(finding.files, _MOST_FILES))
        if len(finding.files) > _MOST_FILES:
            yield f"- and {count(len(finding.files) - _MOST_FILES, 'more file')}"

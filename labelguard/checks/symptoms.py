"""A cause replaces its symptoms in the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Severity


def without_symptoms(findings: Sequence[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Drop the findings that a cause explains: errors that account for all their ids, in each of their files."""
    causes_of = {rule.code: rule.symptom_of for rule in rules if rule.symptom_of}
    of_file: dict[tuple[str, str], list[set[int]]] = defaultdict(list)  # (code of the cause, file) -> ids, shared between files
    of_set: dict[str, set[int]] = defaultdict(set)                      # code of the cause -> ids
    wanted = {code for codes in causes_of.values() for code in codes}
    for finding in findings:
        if finding.code in wanted and finding.severity is Severity.ERROR:
            ids = {*finding.ids, *finding.explains}
            of_set[finding.code] |= ids
            for path in finding.concerns:
                of_file[finding.code, path].append(ids)

    def is_symptom(finding: Finding) -> bool:
        codes = causes_of.get(finding.code, ())
        if not codes:
            return False
        if finding.path is None and (finding.pixels == 0 or not finding.files):  # what is nowhere may have been lost in any file
            return _account_for([of_set[code] for code in codes if code in of_set], finding.ids)
        return all(_account_for([ids for code in codes for ids in of_file.get((code, path), ())], finding.ids) for path in finding.concerns)

    return [finding for finding in findings if not is_symptom(finding)]


def _account_for(causes: Sequence[set[int]], ids: Sequence[int]) -> bool:
    """Whether there are causes, and each id is one that some of them explains."""
    return bool(causes) and all(any(label in each for each in causes) for label in ids)

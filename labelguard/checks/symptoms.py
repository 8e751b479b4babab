"""A cause replaces its symptoms in the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Severity


def without_symptoms(findings: Sequence[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Drop the findings that a cause explains: errors about the same files that account for all their ids."""
    causes_of = {rule.code: rule.symptom_of for rule in rules if rule.symptom_of}
    explained: dict[tuple[str, str], list[set[int]]] = defaultdict(list)  # (code of the cause, file) -> ids, shared between files
    explained_in_set: dict[str, set[int]] = defaultdict(set)       # code of the cause -> ids
    wanted = {code for codes in causes_of.values() for code in codes}
    for finding in findings:
        if finding.code in wanted and finding.severity is Severity.ERROR:
            ids = {*finding.ids, *finding.explains}
            explained_in_set[finding.code] |= ids
            for path in finding.concerns:
                explained[finding.code, path].append(ids)

    def is_symptom(finding: Finding) -> bool:
        codes = causes_of.get(finding.code, ())
        if finding.path is None:
            causes = [explained_in_set[code] for code in codes if code in explained_in_set]
        else:
            causes = [ids for code in codes for ids in explained.get((code, finding.path), ())]
        return bool(causes) and all(any(label in ids for ids in causes) for label in finding.ids)

    return [finding for finding in findings if not is_symptom(finding)]

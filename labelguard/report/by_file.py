"""ByFile: findings of one check on single files, the worst file first, and what is said of all of them at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.traits import common_trait
from labelguard.finding import Finding
from labelguard.report.id_table import RULE, id_table


@dataclass(frozen=True)
class ByFile:
    """Findings of one check on single files.

    Parameters
    ----------
    files
        For each file its findings, the worst file and the worst finding first.
    message, evidence
        What is said of all of them at once; an empty sentence where each says something else.
    trait
        What nearly all of the files have in common and few others have; empty where there is nothing.
    one_fix
        Whether all are fixed alike.
    """

    files: Mapping[str, Sequence[Finding]]
    message: str = ""
    evidence: tuple[str, ...] = ()
    trait: str = ""
    one_fix: bool = True


def by_file(findings: Sequence[Finding], data: DatasetFacts | None) -> ByFile:
    """Put findings of one check on single files in order; what they have in common is told with the facts of the set only."""
    files: dict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda finding: (-(finding.pixels or 0), finding.path or "")):
        files[finding.path or ""].append(finding)
    message, evidence = "", tuple[str, ...]()
    if len(findings) > 1:
        if len({(finding.message, finding.evidence) for finding in findings}) == 1:
            message, evidence = findings[0].message, findings[0].evidence
        elif data is not None and findings[0].name == RULE and (table := [*id_table(findings, data)])[1:]:
            message, *lines = table
            evidence = tuple(line.removeprefix("- ") for line in lines)
    masks = {path for path, (first, *_) in files.items() if first.subject == "mask"}
    trait = common_trait(masks, data) if data is not None and len(masks) > 1 else ""
    return ByFile(files, message, evidence, trait, len({finding.fix for finding in findings}) == 1)

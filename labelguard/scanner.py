"""Scan: from paths to named findings."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from labelguard.checks import OnMask, Rule, changed_file, interpolated, select_rules, unreadable
from labelguard.checks._beyond import interesting_ids
from labelguard.errors import CannotComplete, UnreadableMask
from labelguard.facts import DatasetFacts
from labelguard.files import facts_of, read_bytes
from labelguard.files.find import Found, find
from labelguard.finding import Finding, Severity
from labelguard.infer import Inference, infer
from labelguard.receipt import digest, read_receipt
from labelguard.run import Backend, Report, stream
from labelguard.spec import LabelSpec


@dataclass(frozen=True)
class SkippedCheck:
    """A check that was not run, and why."""

    code: str
    why: str


@dataclass(frozen=True)
class ScanReport:
    """What a scan found.

    Parameters
    ----------
    found
        The files, and what was left out.
    data
        The facts of the data set.
    spec
        What was declared.
    inference
        What was inferred where no class count was declared, else None.
    findings
        Worst first; what concerns the whole set before what concerns one file; then by code and path.
    skipped_checks
        Checks that could not be judged.
    complete
        False after an interruption.
    """

    found: Found
    data: DatasetFacts
    spec: LabelSpec
    inference: Inference | None
    findings: tuple[Finding, ...]
    skipped_checks: tuple[SkippedCheck, ...]
    complete: bool = True

    def count(self, severity: Severity) -> int:
        """How many findings have a severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def fails(self, fail_on: Severity | None = Severity.ERROR) -> bool:
        """Whether a finding is as bad as `fail_on`, or worse; never where it is None."""
        return fail_on is not None and any(finding.severity.rank >= fail_on.rank for finding in self.findings)


@dataclass(frozen=True)
class Examine:
    """The work on one file: gather its facts, ask the checks. Picklable, so that it can go to other processes."""

    spec: LabelSpec
    codes: tuple[str, ...]
    outlines_of: frozenset[int] = frozenset()
    digests: dict[str, str] = field(default_factory=dict)  # from the receipt of the folder

    def __call__(self, path: str, name: str) -> Report:
        """Report on one file; see `labelguard.run.Report`."""
        try:
            data = read_bytes(path)
            facts = facts_of(data, name, self.outlines_of, interpolated.rule.code in self.codes)
        except UnreadableMask as reason:
            return Report(name, None, problem=str(reason))
        findings = [finding for check in _mask_checks(self.codes) for finding in check(facts, self.spec)]
        if name in self.digests and digest(data) != self.digests[name]:
            findings.append(changed_file.changed(name))
        return Report(name, facts, tuple(replace(finding, path=name) for finding in findings))


@dataclass
class Scan:
    """A scan under way: iterate over it for the reports on single files, then take the `result`.

    The result can be taken at any time; before the end it is marked as incomplete.

    Parameters
    ----------
    paths
        Files and folders.
    spec
        What is declared about the ids.
    select, ignore
        Codes or names of the checks to run, and of those to leave out; see `labelguard.checks.select_rules`.
    jobs, backend
        See `labelguard.run.stream`.

    Raises
    ------
    CannotComplete
        When there is no mask below the paths.
    UsageError
        When a code names no check.
    """

    paths: Sequence[str | os.PathLike[str]]
    spec: LabelSpec = field(default_factory=LabelSpec)
    select: Iterable[str] = ()
    ignore: Iterable[str] = ()
    jobs: int | None = None
    backend: Backend = "threading"

    def __post_init__(self) -> None:
        rules = select_rules(self.select, self.ignore)
        self.rules = tuple(rule for rule in rules if self.spec.declared or not rule.needs_classes)
        self.skipped_checks = tuple(SkippedCheck(rule.code, "no class count declared") for rule in rules if rule not in self.rules)
        self.found = find(self.paths)
        if self.found.missing:
            raise CannotComplete(f"'{self.found.missing[0]}' does not exist, or cannot be opened.")
        if not self.found.files:
            raise CannotComplete(_nothing_found(self.found, self.paths))
        self.digests = self._recorded() if changed_file.rule in self.rules else {}
        self.data = DatasetFacts(self.found.root, skipped=self.found.skipped)
        self.findings: list[Finding] = []
        self.done = 0

    def __iter__(self) -> Iterator[Report]:
        codes = tuple(rule.code for rule in self.rules)
        judged = any(code in codes for code in ("LG102", "LG103", "LG106"))
        examine = Examine(self.spec, codes, interesting_ids(self.spec) if judged else frozenset(), self.digests)
        for report in stream(examine, self.found.files, self.jobs, self.backend):
            self._take(report)
            yield report

    def _recorded(self) -> dict[str, str]:
        """The digests that a receipt in the scanned folder records."""
        receipt = read_receipt(self.found.root) if os.path.isdir(self.found.root) else None
        return {} if receipt is None else {name: str(entry.get("digest")) for name, entry in receipt["files"].items()}

    def _take(self, report: Report) -> None:
        self.done += 1
        if report.facts is not None:
            self.data.add(report.path, report.facts)
            self.findings.extend(report.findings)
        else:
            self.data.unreadable += 1
            if unreadable.rule in self.rules:
                self.findings.append(unreadable.unreadable(report.path, report.problem or "cannot be read"))

    def result(self) -> ScanReport:
        """Everything found up to now, with what only the whole set shows."""
        findings = list(self.findings)
        data = interpolated.trusted(self.data) if interpolated.rule in self.rules else self.data
        for rule in self.rules:
            if rule.dataset_check is not None:
                findings.extend(rule.dataset_check(data, self.spec))
        if self.digests and self.done == len(self.found.files):
            findings.extend(changed_file.strays(set(self.digests), {name for _, name in self.found.files}))
        findings = without_symptoms(findings, self.rules)
        findings.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids))
        return ScanReport(self.found, self.data, self.spec, None if self.spec.declared else infer(data),
                          tuple(findings), self.skipped_checks, complete=self.done == len(self.found.files))


def scan(*paths: str | os.PathLike[str], spec: LabelSpec | None = None, select: Iterable[str] = (), ignore: Iterable[str] = (),
         jobs: int | None = None, backend: Backend = "threading") -> ScanReport:
    """Scan folders of masks; see `Scan` for the parameters.

    Examples
    --------
    >>> report = labelguard.scan("masks", spec=labelguard.LabelSpec(num_classes=12))  # doctest: +SKIP
    """
    scanning = Scan(paths, spec or LabelSpec(), select, ignore, jobs, backend)
    for _ in scanning:
        pass
    return scanning.result()


def without_symptoms(findings: Sequence[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Drop the findings that a cause accounts for: errors, about the same files, that explain all their ids."""
    causes_of = {rule.code: rule.symptom_of for rule in rules if rule.symptom_of}
    explained: dict[tuple[str, str], set[int]] = defaultdict(set)  # (code of the cause, file) -> ids
    explained_in_set: dict[str, set[int]] = defaultdict(set)       # code of the cause -> ids
    wanted = {code for codes in causes_of.values() for code in codes}
    for finding in findings:
        if finding.code in wanted and finding.severity is Severity.ERROR:
            ids = {*finding.ids, *finding.explains}
            explained_in_set[finding.code] |= ids
            for path in finding.concerns:
                explained[finding.code, path] |= ids

    def is_symptom(finding: Finding) -> bool:
        codes = causes_of.get(finding.code, ())
        if finding.path is None:
            causes = [explained_in_set[code] for code in codes if code in explained_in_set]
        else:
            causes = [explained[code, finding.path] for code in codes if (code, finding.path) in explained]
        return bool(causes) and set().union(*causes).issuperset(finding.ids)

    return [finding for finding in findings if not is_symptom(finding)]


@cache
def _mask_checks(codes: tuple[str, ...]) -> tuple[OnMask, ...]:
    return tuple(rule.mask_check for rule in select_rules(codes) if rule.mask_check is not None)


def _nothing_found(found: Found, paths: Sequence[str | os.PathLike[str]]) -> str:
    where = ", ".join(f"'{os.fspath(path)}'" for path in paths)
    others = ", ".join(f"{n} {suffix or 'without a suffix'}" for suffix, n in sorted(found.others.items())[:5])
    return f"No masks found in {where}" + (f" (files of other kinds: {others})." if others else ".")

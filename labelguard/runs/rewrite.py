"""Rewrite: put a folder of masks through a stage and write the result, whole, accounted for, and with a receipt."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from labelguard.checks.registry import findings_of_resize, findings_of_unreadable
from labelguard.errors import IncompleteError
from labelguard.files.journal import Journal
from labelguard.files.receipt import WrittenFile, write_receipt
from labelguard.files.write import TEMPORARY
from labelguard.finding import Finding
from labelguard.report.progress import Progress
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.pool import stream
from labelguard.runs.results import WrittenResult
from labelguard.runs.rewrite_mask import RewriteMask
from labelguard.runs.write_plan import WritePlan


class Rewrite:
    """A rewrite under way: iterate over it, one step for each file, then take the `result`.

    The result can be taken at any time; before the end it is marked as incomplete, and what was written so far can be resumed.

    Parameters
    ----------
    plan
        What is to be done; see `labelguard.runs.write_plan.plan_write`.
    """

    def __init__(self, plan: WritePlan) -> None:
        self.plan = plan
        self.begun = False
        self._written: dict[str, WrittenFile] = {}
        self._findings: list[Finding] = []
        self._done = 0
        self._unreadable = 0

    def __iter__(self) -> Iterator[Progress]:
        self.begun = True
        plan, options, files = self.plan, self.plan.options, self.plan.listing.files
        _keep_freed_memory()
        try:
            os.makedirs(plan.out, exist_ok=True)
        except OSError as problem:
            raise IncompleteError(f"The output folder '{plan.out}' cannot be made: {(problem.strerror or str(problem)).lower()}.") from None
        journal = Journal(plan.out, plan.provenance)
        if options.resume:
            journal.resume()
            _remove_temporaries(plan.out)
        work = RewriteMask(plan.stage, plan.out, plan.targets, dict(journal.files))
        journal.begin()
        try:
            for result in stream(work, files, options.jobs, options.backend, options.max_memory):
                self._take(result, journal)
                yield Progress("writing", self._done, len(files), result.path, self._unreadable)
        finally:
            journal.flush()
        if self._written:
            write_receipt(plan.out, replace(plan.provenance, table=self._table()), self._written.values())
        journal.remove()

    def result(self) -> RewriteReport:
        """What was done up to now, with what only the whole set shows: classes that a resize lost."""
        before, after = self._pixels()
        findings = list(self._findings)
        if self.plan.stage.resizes:
            findings += findings_of_resize(self.plan.stage.moved(before), after)
        findings.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids))
        files = len(self.plan.listing.files)
        return RewriteReport(
            findings=tuple(findings), complete=self._done == files, command=self.plan.provenance.command, source=self.plan.source,
            out=self.plan.out, stage=self.plan.stage, spec=self.plan.spec, files=files, done=self._done,
            written=tuple(self._written.values()), before=before, after=after)

    def _take(self, result: WrittenResult, journal: Journal) -> None:
        self._done += 1
        if result.written is not None:
            self._written[result.written.name] = result.written
            journal.add(result.written)
        if result.problem:
            self._unreadable += 1
            self._findings.extend(findings_of_unreadable(result.path, result.problem))
        self._findings.extend(result.findings)

    def _table(self) -> dict[str, int]:
        """Where each id that was met has gone."""
        if not self.plan.stage.moves_ids:
            return {}
        before, _ = self._pixels()
        targets = ((label, self.plan.stage.target(label)) for label in sorted(before))
        return {str(label): label if target is None else target for label, target in targets}

    def _pixels(self) -> tuple[Counter[int], Counter[int]]:
        """Pixels of each id in all files that were written, before and after."""
        before: Counter[int] = Counter()
        after: Counter[int] = Counter()
        for file in self._written.values():
            before.update({int(label): count for label, count in file.before.items()})
            after.update({int(label): count for label, count in file.after.items()})
        return before, after


def _keep_freed_memory() -> None:
    """Let the C library keep what is freed: several large arrays come and go with each mask, and taking fresh pages from the system
    for them costs more than all the work on a mask. glibc's thresholds follow the largest block freed; this one is never touched."""
    bytearray(31 << 20)


def _remove_temporaries(folder: str) -> None:
    """Remove what a run that was killed has left half-written."""
    for path in Path(folder).rglob(f"*{TEMPORARY}"):
        path.unlink(missing_ok=True)

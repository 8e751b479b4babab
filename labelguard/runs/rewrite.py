"""Rewrite: put a folder of masks through a stage and write the result, whole, accounted for, and with a receipt."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from labelguard.checks.registry import findings_of_refused, findings_of_remap, findings_of_resize, findings_of_unreadable
from labelguard.files.folder_lock import locked
from labelguard.files.journal import Journal
from labelguard.files.output_folder import OutputFolder
from labelguard.files.receipt import WrittenFile, write_receipt
from labelguard.finding import Finding
from labelguard.report.progress import Progress
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.earlier_run import check_same_sources, lying_in, remarks_on
from labelguard.runs.pool import stream
from labelguard.runs.results import WrittenResult
from labelguard.runs.rewrite_mask import RewriteMask
from labelguard.runs.source_folders import refuse_common_folder
from labelguard.runs.write_plan import WritePlan, check_contents


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
        self._complete = False
        self._written: dict[str, WrittenFile] = {}
        self._unwritable: dict[str, str] = {}
        self._changed: list[str] = []
        self._kept: list[WrittenFile] = []
        self._left_over: tuple[str, ...] = ()
        self._strangers: tuple[str, ...] = ()
        self._findings: list[Finding] = findings_of_refused(plan.listing.refused)
        self._done = 0
        self._unreadable = 0

    def __iter__(self) -> Iterator[Progress]:
        _keep_freed_memory()
        folder = OutputFolder.make(self.plan.out, (path for path, _ in self.plan.listing.files))
        try:
            refuse_common_folder(self.plan.out, self.plan.listing)  # a folder above it may have become a link
            with locked(folder):
                check_contents(self.plan.out, self.plan.options)  # another run may have been faster
                yield from self._write(folder)
        finally:
            folder.remove_made()

    def _write(self, folder: OutputFolder) -> Iterator[Progress]:
        plan, options, files = self.plan, self.plan.options, self.plan.listing.files
        journal = Journal(folder, plan.provenance, plan.source)
        folder.remove_temporaries(plan.targets.values())
        if options.resume and journal.resume():
            check_same_sources(journal.files, plan)
        known = dict(journal.files)
        journal.begin()
        self.begun = True
        try:
            work = RewriteMask(plan.stage, folder, plan.targets, known, plan.copied)
            for result in stream(work, files, options.jobs, options.backend, options.max_memory, work.at_once):
                self._take(result, journal)
                yield Progress("writing", self._done, len(files), result.path, self._unreadable)
        finally:
            journal.flush()
            if not any(lying_in(plan.out)):
                journal.remove()
        if options.resume:
            met = {*self._written, *(plan.targets[name] for name in self._unwritable)}
            left = sorted(name for name in lying_in(plan.out) if name not in met)
            self._left_over = tuple(name for name in left if name in known)
            self._strangers = tuple(name for name in left if name not in known)
        if self._written or self._kept:
            write_receipt(folder, replace(plan.provenance, table=self._table()), (*self._written.values(), *self._kept))
            journal.remove()
        self._complete = True

    def result(self) -> RewriteReport:
        """What was done up to now, with what only the whole set shows: classes that a resize lost, and pixels that a table did."""
        before, after = self._pixels()
        findings = list(self._findings)
        if self.plan.stage.resizes:
            findings += findings_of_resize(self.plan.stage.moved(before), after)
        if self.plan.stage.moves_ids:
            findings += findings_of_remap(before, self.plan.stage.target, self.plan.stage.ignore_index)
        return RewriteReport(
            findings=in_order(findings), complete=self._complete, command=self.plan.provenance.command, source=self.plan.source,
            out=self.plan.out, stage=self.plan.stage, spec=self.plan.spec, files=len(self.plan.listing.files), done=self._done,
            written=tuple(self._written.values()), before=before, after=after, unwritable=tuple(self._unwritable.items()),
            copied=sum(file.source in self.plan.copied for file in self._written.values()), present=self._present(),
            remarks=remarks_on(self._changed, self._left_over, self._strangers, self.plan.out))

    def _take(self, result: WrittenResult, journal: Journal) -> None:
        self._done += 1
        if result.written is not None:
            self._written[result.written.name] = result.written
            journal.add(result.written)
            if result.changed:
                self._changed.append(result.path)
        if result.kept is not None:
            self._kept.append(result.kept)
        if result.unwritable:
            self._unwritable[result.path] = result.unwritable
        if result.problem:
            self._unreadable += 1
            self._findings.extend(findings_of_unreadable(result.path, result.problem))
        self._findings.extend(result.findings)

    def _present(self) -> int:
        """How many files lie in the output folder; while work is under way also those that a worker or an earlier run has written."""
        if not self.begun or self._complete:
            return len(self._written)
        return sum(os.path.lexists(os.path.join(self.plan.out, target)) for target in self.plan.targets.values())

    def _table(self) -> dict[str, int]:
        """Where each id that was met has gone."""
        if not self.plan.stage.moves_ids:
            return {}
        before, _ = self._pixels()
        targets = ((label, self.plan.stage.target(label)) for label in sorted(before))
        return {self.plan.stage.source_text(label): label if target is None else target for label, target in targets}

    def _pixels(self) -> tuple[Counter[int], Counter[int]]:
        """Pixels of each id in all files that were changed, before and after."""
        before: Counter[int] = Counter()
        after: Counter[int] = Counter()
        for file in self._written.values():
            if file.source in self.plan.copied:
                continue
            before.update({int(label): count for label, count in file.before.items()})
            after.update({int(label): count for label, count in file.after.items()})
        return before, after


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings as a report tells them: the worst first, those on the set before those on files."""
    return tuple(sorted(findings, key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids)))


def _keep_freed_memory() -> None:
    """Let the C library keep what is freed: several large arrays come and go with each mask, and taking fresh pages from the system
    for them costs more than all the work on a mask. glibc's thresholds follow the largest block freed; this one is never touched."""
    bytearray(31 << 20)

"""Transform: put a folder of masks through a stage and write the result, whole, accounted for, and with a receipt."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from labelguard.checks.registry import all_rules, findings_of_resize, findings_of_unreadable
from labelguard.errors import IncompleteError, MaskRejectedError, UnreadableMaskError, UsageError
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.find import RECEIPT_NAME, FileListing, find
from labelguard.files.formats import format_name
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.files.read import read_bytes, read_head
from labelguard.files.receipt import JOURNAL_NAME, Job, Journal, WrittenFile, digest, find_receipt, write_receipt
from labelguard.files.write import TEMPORARY, encode, target_name, write_whole
from labelguard.finding import Finding
from labelguard.report.progress import Progress
from labelguard.runs.pool import Backend, stream
from labelguard.runs.results import WrittenResult
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage


@dataclass(frozen=True)
class _Change:
    """The work on one file. Picklable, so that it can go to other processes.

    `targets` names the file to write for each source, `done` holds the digests of source and target of files that need no work.
    """

    stage: Stage
    out: str
    targets: dict[str, str]
    done: dict[str, WrittenFile]

    def __call__(self, path: str, name: str) -> WrittenResult:
        target = self.targets[name]
        place = os.path.join(self.out, target)
        try:
            data = read_bytes(path)
            source_digest = digest(data)
            known = self.done.get(target)
            if known is not None and known.source_digest == source_digest and _digest_of(place) == known.digest:
                return WrittenResult(name, facts_of(data, name), entry=known)
            mask, facts = decode_with_facts(data, name)
        except UnreadableMaskError as reason:
            return self.failed(name, str(reason))
        if mask is None:
            return WrittenResult(name, facts, findings=_why_no_labels(facts, name))
        try:
            result = self.stage.apply(mask)
        except MaskRejectedError as rejected:
            return WrittenResult(name, facts, findings=rejected.findings)
        written = encode(result)
        after = facts_of(written, target)
        if self.stage.resizes:
            _account(Counter(dict(_counts(MaskFacts.of_labels(result.labels)))), after, name)
        else:
            expected: Counter[int] = Counter()
            for label, count in _counts(facts):
                expected[_moved(self.stage, label)] += count
            _account(expected, after, name)
        write_whole(place, written)
        entry = WrittenFile(target, name, digest(written), source_digest, _texts(facts), _texts(after))
        return WrittenResult(name, facts, entry=entry)

    def failed(self, name: str, problem: str) -> WrittenResult:
        """The result for a mask that cannot be read."""
        return WrittenResult(name, problem=problem)


@dataclass
class Transform:
    """A transform under way: iterate over it for the reports on single files, then `finish` it.

    Parameters
    ----------
    source
        A file or folder.
    out
        The folder to write to; it must be empty or not exist, unless `resume`.
    stage
        What every mask goes through.
    work
        What the receipt says of it.
    resume
        Go on where an earlier run was broken off.
    again
        Do it although a receipt says that the source was remapped before.
    jobs, backend
        See `labelguard.runs.pool.stream`.

    Raises
    ------
    IncompleteError
        When there is no mask below the source, or `out` cannot be used.
    UsageError
        When `out` lies in the source, two sources would write one file, or the source was remapped before.
    """

    source: str
    out: str
    stage: Stage
    work: Job
    resume: bool = False
    again: bool = False
    jobs: int | None = None
    backend: Backend = "threading"
    findings: list[Finding] = field(default_factory=list, init=False)
    entries: dict[str, WrittenFile] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.found = find([self.source])
        if self.found.missing:
            raise IncompleteError(f"'{self.found.missing[0]}' does not exist, or cannot be opened.")
        if not self.found.files:
            raise IncompleteError(f"No masks found in '{self.source}'.")
        self.data = DatasetFacts(self.found.root, skipped=self.found.skipped)
        self.unwritten = 0
        self.done = 0
        if not self.again and self.stage.moves_ids:
            refuse_second_remap(self.source)
        check_out(self.source, self.out, self.resume)
        self.targets = plan_targets(self.found)

    def __iter__(self) -> Iterator[Progress]:
        _keep_freed_memory()
        try:
            os.makedirs(self.out, exist_ok=True)
        except OSError as problem:
            raise IncompleteError(f"The output folder '{self.out}' cannot be made: {(problem.strerror or str(problem)).lower()}.") from None
        journal = Journal(self.out, self.work)
        if self.resume:
            journal.resume()
            _remove_temporaries(self.out)
        known = dict(journal.entries)
        journal.begin()
        change = _Change(self.stage, self.out, self.targets, known)
        try:
            for report in stream(change, self.found.files, self.jobs, self.backend):
                self._take(report, journal)
                yield Progress("writing", self.done, len(self.found.files), report.path, self.data.unreadable)
        finally:
            journal.flush()
        if self.entries:
            write_receipt(self.out, replace(self.work, table=self._table()), self.entries.values())
        else:
            journal.discard()

    def _take(self, report: WrittenResult, journal: Journal) -> None:
        self.done += 1
        entry = report.entry
        if entry is not None:
            self.entries[entry.name] = entry
            if journal.entries.get(entry.name) != entry:
                journal.add(entry)
        else:
            self.unwritten += 1
        if report.facts is not None:
            self.data.add(report.path, report.facts)
        elif report.problem:
            self.data.unreadable += 1
            self.findings.extend(findings_of_unreadable(report.path, report.problem))
        self.findings.extend(report.findings)

    def _table(self) -> dict[str, int]:
        """Where each id that was met has gone."""
        if not self.stage.moves_ids:
            return {}
        before, _ = self.totals()
        return {str(label): _moved(self.stage, label) for label in sorted(before)}

    @property
    def complete(self) -> bool:
        """Whether every file was looked at."""
        return self.done == len(self.found.files)

    def totals(self) -> tuple[Counter[int], Counter[int]]:
        """Pixels of each id in all files that were written, before and after."""
        before: Counter[int] = Counter()
        after: Counter[int] = Counter()
        for entry in self.entries.values():
            before.update({int(label): count for label, count in entry.before.items()})
            after.update({int(label): count for label, count in entry.after.items()})
        return before, after

    def all_findings(self) -> list[Finding]:
        """What was found, with what only the whole set shows: classes that a resize lost."""
        before, after = self.totals()
        moved: Counter[int] = Counter()
        for label, count in before.items():
            moved[_moved(self.stage, label)] += count
        lost = findings_of_resize(moved, after) if self.stage.resizes else []
        return sorted([*lost, *self.findings], key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids))


def _keep_freed_memory() -> None:
    """Let the C library keep what is freed: several large arrays come and go with each mask, and taking fresh pages from the system
    for them costs more than all the work on a mask. glibc's thresholds follow the largest block freed; this one is never touched."""
    bytearray(31 << 20)


def check_out(source: str, out: str, resume: bool) -> None:
    """Refuse an output folder that is the source, lies in it, or holds something already; see `Transform`."""
    here, there = Path(source).resolve(), Path(out).resolve()
    if there == here or here in there.parents:
        raise UsageError(f"The output '{out}' lies in the source '{source}'; choose a folder elsewhere (--out DIR).")
    if there.exists() and not there.is_dir():
        raise IncompleteError(f"The output '{out}' is a file; choose a folder (--out DIR).")
    try:
        names = {path.name for path in there.iterdir() if not path.name.endswith(TEMPORARY)} if there.is_dir() else set()
        if names and not resume:
            raise UsageError(f"The output folder '{out}' holds something already. Choose another with --out DIR, or go on with a run that "
                             "was broken off with --resume.")
        if names and not names & {RECEIPT_NAME, JOURNAL_NAME}:
            raise UsageError(f"There is nothing to resume in '{out}': what it holds is not from labelguard. Choose another folder with "
                             "--out DIR.")
    except OSError as problem:
        raise IncompleteError(f"The output folder '{out}' cannot be used: {(problem.strerror or str(problem)).lower()}.") from None


def plan_targets(found: FileListing) -> dict[str, str]:
    """The file to write for each source; refused where two sources would write one."""
    targets: dict[str, str] = {}
    sources: dict[str, str] = {}
    for path, name in found.files:
        target = targets[name] = target_name(name, format_name(read_head(path)))
        other = sources.setdefault(target, name)
        if other != name:
            raise UsageError(f"'{other}' and '{name}' would both be written to '{target}'; rename one of them.")
    return targets


def refuse_second_remap(source: str) -> None:
    """Refuse a source whose receipt says that its ids were moved before: twice by -1 is a silent bug."""
    known = find_receipt(source)
    if known is not None and known[1].get("remaps"):
        raise UsageError(f"'{source}' was remapped before, says '{known[0]}' ({known[1].get('stages')}). Doing it again would move the ids "
                         "again; if that is meant, say --again.")


def _remove_temporaries(folder: str) -> None:
    """Remove what a run that was killed has left half-written."""
    for path in Path(folder).rglob(f"*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def _digest_of(place: str) -> str:
    try:
        return digest(read_bytes(place))
    except UnreadableMaskError:
        return ""


def _why_no_labels(facts: MaskFacts, name: str) -> tuple[Finding, ...]:
    checks = [rule.mask_check for rule in all_rules() if rule.mask_check is not None and rule.explains_no_ids]
    return tuple(replace(finding, path=name) for check in checks for finding in check(facts, LabelSpec()))


def _moved(stage: Stage, label: int) -> int:
    moved = stage.target(label)
    return label if moved is None else moved


def _counts(facts: MaskFacts) -> Iterator[tuple[int, int]]:
    return zip(facts.present, facts.num_pixels.tolist(), strict=True)


def _texts(facts: MaskFacts) -> dict[str, int]:
    return {str(label): count for label, count in _counts(facts)}


def _account(expected: Counter[int], after: MaskFacts, name: str) -> None:
    """Every pixel must be where the stage says, in the bytes that are about to be written."""
    if dict(expected) != dict(_counts(after)):
        raise RuntimeError(f"the pixels of '{name}' do not add up: {dict(expected)} expected, {dict(_counts(after))} written")

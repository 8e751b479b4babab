"""ScanDifference: what came and what went between two scans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from labelguard._version import __version__
from labelguard.finding import Finding, Severity
from labelguard.report.base import FailOn
from labelguard.report.baseline import Known, Mark
from labelguard.report.baseline_file import baseline_of
from labelguard.report.class_shares import ClassShares, class_shares
from labelguard.report.exit_codes import CLEAN, FINDINGS
from labelguard.report.finding_text import EVERYTHING, finding_lines
from labelguard.report.gate import Gate, Judging, Looked
from labelguard.report.json import finding_dict
from labelguard.report.saved import SavedReport
from labelguard.report.style import style
from labelguard.report.text import wrapped
from labelguard.text import count, listed

_MOST_FILES = 5

Marks = tuple[tuple[Mark, Known], ...]


@dataclass(frozen=True)
class ScanDifference:
    """What came and what went between two scans. A finding is the same where check, file and ids are; one about the set, in each file.

    Parameters
    ----------
    old, new
        The two scans.
    came
        The findings that are new, or worse than they were, without those that are accepted or known to the newer scan's baseline.
    gone
        The findings that went, and how often.
    unseen
        Those of which the newer scan says nothing, since it has not run their check or not selected their file, or was broken off.
    stayed
        How many are in both; as many as files for one about the set.
    shares
        How the shares of the ids differ.
    """

    old: SavedReport
    new: SavedReport
    came: tuple[Finding, ...]
    gone: Marks
    unseen: Marks
    stayed: int
    shares: ClassShares

    def masks(self) -> dict[str, int] | None:
        """How many masks came, went and changed; None where a report does not list them."""
        before, after = self.old.masks, self.new.masks
        if before is None or after is None:
            return None
        both = before.keys() & after.keys()
        return {"added": len(after) - len(both), "removed": len(before) - len(both),
                "changed": sum(before[name] != after[name] for name in both)}

    def exit_code(self, fail_on: FailOn = Severity.ERROR) -> int:
        """1 where something came that is as bad as `fail_on`, or worse."""
        return FINDINGS if fail_on is not None and any(finding.severity.rank >= Severity(fail_on).rank for finding in self.came) else CLEAN

    def remarks(self) -> Iterator[str]:
        """Why the two may not be compared like for like, in sentences."""
        old, new = self.old, self.new
        if old.version != new.version:
            yield (f"'{old.name}' is of labelguard {old.version}, '{new.name}' of {new.version}: checks may have changed, and not the "
                   "masks.")
        if not old.complete:
            yield f"'{old.name}' is incomplete, since its scan was interrupted: what is new here may have been there before."
        if not new.complete:
            yield f"'{new.name}' is incomplete, since its scan was interrupted: what is gone is not known."
        if _declared(old) != _declared(new):
            yield f"The ids do not mean the same: '{old.name}' has {_declared(old)}, '{new.name}' has {_declared(new)}."
        for report in (old, new):
            if report.left_out:
                yield f"In '{report.name}' {count(report.left_out, 'mask was', 'masks were')} not selected."
            if report.masks is None:
                yield f"'{report.name}' does not list its masks: those that came, went and changed are not counted."
        if self.unseen:
            codes = sorted({mark.code for mark, _ in self.unseen})
            yield f"'{new.name}' says nothing of {listed(codes)}, where '{old.name}' has {count(_total(self.unseen), 'finding')}."

    def lines(self) -> Iterator[str]:
        """The text, line by line, as `labelguard.report.style.rendered` takes it."""
        for remark in self.remarks():
            yield from wrapped("note:     ", remark)
        masks = self.masks()
        told = "" if masks is None else f": {masks['added']:,} added, {masks['removed']:,} removed, {masks['changed']:,} changed"
        yield f"masks:    {self.old.files:,} before, {self.new.files:,} after{told}"
        yield from self.shares.lines()
        if self.came:
            yield from ("", style("Came:", bold=True))
            yield from [*finding_lines(self.came, everything=EVERYTHING)][1:]
        if self.gone:
            yield from ("", style("Went:", bold=True))
            yield from _by_check(self.gone)
        yield ""
        came = ", ".join(count(number, word.value) for word in Severity if (number := self._came(word)))
        yield f"{came or 'Nothing'} came, {_total(self.gone):,} went, {self.stayed:,} stayed; each file counts."

    def _came(self, severity: Severity) -> int:
        return sum(max(len(finding.concerns), 1) for finding in self.came if finding.severity is severity)

    def to_dict(self, fail_on: FailOn = Severity.ERROR) -> dict[str, Any]:
        """The same as plain values; `fail_on` decides the exit code in it."""
        return {
            "labelguard": __version__, "command": "diff",
            "old": _report_dict(self.old), "new": _report_dict(self.new), "masks": self.masks(), "shares": self.shares.to_dict(),
            "findings": [{key: [*value] if key == "files" else value for key, value in finding_dict(finding).items()}
                         for finding in self.came],
            "gone": [*map(_mark_dict, self.gone)], "unseen": [*map(_mark_dict, self.unseen)], "stayed": self.stayed,
            "remarks": [*self.remarks()], "exit_code": self.exit_code(fail_on),
        }


def compare_scans(old: SavedReport, new: SavedReport) -> ScanDifference:
    """What came and what went between two scans."""
    before = baseline_of((_counted(finding) for finding in old.findings), old.name, {})
    judging = Judging(Gate(baseline=before))
    came = tuple(part for finding in new.findings for part in judging.parts(finding) if part.counts)
    codes = {mark.code for mark in before.findings} if new.judged is None else new.judged
    outcome = judging.outcome(Looked(new.complete, frozenset(codes), _not_looked_at(old, new)))
    stayed = before.total - _total(outcome.gone) - _total(outcome.unseen)
    return ScanDifference(old, new, came, outcome.gone, outcome.unseen, stayed, class_shares(old, new))


def _not_looked_at(old: SavedReport, new: SavedReport) -> frozenset[str]:
    """The files that the newer scan may have left out: it selected, and does not list them."""
    return frozenset((old.masks or {}).keys() - new.masks) if new.left_out and new.masks is not None else frozenset()


def _counted(finding: Finding) -> Finding:
    """What was accepted then was there all the same."""
    return replace(finding, accepted="")


def _declared(report: SavedReport) -> str:
    """Such as ``12 classes (declared), 255 ignored``."""
    classes = "no class count" if report.num_classes is None else f"{count(report.num_classes, 'class', 'classes')} ({report.source})"
    return f"{classes}, {listed(report.ignore_index) or 'nothing'} ignored"


def _total(marks: Marks) -> int:
    return sum(known.count for _, known in marks)


def _by_check(marks: Marks) -> Iterator[str]:
    """A line for each check: how often, and in which files."""
    by_check: dict[tuple[int, str, str], list[tuple[Mark, Known]]] = defaultdict(list)
    for mark, known in marks:
        by_check[-known.severity.rank, mark.code, known.name].append((mark, known))
    for (_, code, name), found in sorted(by_check.items()):
        files = [*dict.fromkeys(mark.path for mark, _ in found if mark.path)]
        where = f" in {count(len(files), 'file')}: {_some(files)}" if files else ""
        yield from wrapped("  ", f"{code} {name}: {count(_total(tuple(found)), 'finding')}{where}")


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_FILES
    return ", ".join(names[:_MOST_FILES]) + (f" and {rest:,} more" if rest > 0 else "")


def _report_dict(report: SavedReport) -> dict[str, Any]:
    return {"file": report.name, "labelguard": report.version, "complete": report.complete, "files": report.files,
            "unreadable": report.unreadable, "pixels": report.pixels, "findings": len(report.findings)}


def _mark_dict(entry: tuple[Mark, Known]) -> dict[str, Any]:
    mark, known = entry
    return {"code": mark.code, "name": known.name, "severity": known.severity.value, "path": mark.path or None, "ids": [*mark.ids],
            "subject": mark.subject, "split": mark.split or None, "count": known.count}

"""RewriteReport: what a remap, resize or pipeline did to a folder of masks."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from labelguard._version import __version__
from labelguard.errors import UsageError
from labelguard.files.receipt import FILE_NAME, WrittenFile
from labelguard.finding import Severity
from labelguard.report.base import FailOn, Report
from labelguard.report.changes import share_lines, table_lines
from labelguard.report.exit_codes import INCOMPLETE
from labelguard.report.finding_text import finding_lines
from labelguard.report.table import Table
from labelguard.report.text import wrapped
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.text import count, listed

_MOST_FILES = 5
_COLUMNS = ("name", "source", "digest", "source_digest", "before", "after")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RewriteReport(Report):
    """What was done to a folder of masks; the findings, and how to print them, are described in `labelguard.report.base.Report`.

    Parameters
    ----------
    command
        ``remap``, ``resize`` or ``run``.
    source, out
        What was read, and the folder that was written to.
    stage
        What every mask went through.
    spec
        What the ids of the result mean.
    files, done
        Number of files that there are, and that were looked at.
    written
        The files that were written, or that an earlier run had written.
    copied
        How many of these are copies of their sources, since only a part of the masks was to be changed.
    before, after
        Pixels of each id in all other files, as they were and as they are; of all files that were read, in a dry run.
    inferred
        What was inferred about the ids of the result, in sentences.
    about
        What has to be said of the table, in sentences.
    dry_run
        Whether this only says what would be done.
    probe
        What the target loss made of the written masks, where a pipeline asked for that.
    unwritable
        Files whose result cannot be written in its place, and why, in sentences.
    present
        How many files lie in the output folder, also where the work was broken off.
    stopped
        What the work was broken off for, in a sentence; empty where the user interrupted it.
    remarks
        What changed since the run that this one has resumed, in sentences.

    Examples
    --------
    >>> report = labelguard.remap("masks", shift=-1, merge={0: "last"}, num_classes=12)  # doctest: +SKIP
    >>> report  # doctest: +SKIP
    RewriteReport(367 files written, clean)
    """

    command: str
    source: str
    out: str
    stage: Stage
    spec: LabelSpec
    files: int
    done: int
    written: tuple[WrittenFile, ...] = ()
    copied: int = 0
    before: Mapping[int, int] = field(default_factory=dict)
    after: Mapping[int, int] = field(default_factory=dict)
    inferred: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    dry_run: bool = False
    probe: Report | None = None
    unwritable: tuple[tuple[str, str], ...] = ()
    present: int = 0
    remarks: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether the work, or the probe after it, was broken off by the user."""
        return not self.complete or (self.probe is not None and self.probe.interrupted)

    @property
    def unwritten(self) -> int:
        """How many files were looked at and not written, for the reasons that the findings give."""
        return 0 if self.dry_run else self.done - len(self.written)

    @property
    def moves(self) -> dict[int, int | None]:
        """Where each id that is there goes; None where it is refused."""
        return {label: self.stage.target(label) for label in sorted(self.before)}

    @property
    def refused(self) -> tuple[int, ...]:
        """The ids of a dry run that would be refused."""
        return tuple(label for label, moved in self.moves.items() if moved is None)

    def reservations(self) -> Iterator[str]:
        """Files that were not written, or would not be, and what the probe has not looked at."""
        if self.unwritten:
            yield f"{count(self.unwritten, 'file')} not written"
        if self.dry_run and self.refused:
            yield f"{count(len(self.refused), 'color' if self.stage.reads_colors else 'id')} would be refused"
        if self.stopped:
            yield "stopped"
        if self.probe is not None:
            yield from self.probe.reservations()

    def fails(self, fail_on: FailOn = Severity.ERROR) -> bool:
        """Whether a file was not written, or would not be; or the probe, or a finding as bad as `fail_on`, says so."""
        return bool(self.unwritten or self.refused) or super().fails(fail_on) or (self.probe is not None and self.probe.fails(fail_on))

    def exit_code(self, fail_on: FailOn = Severity.ERROR) -> int:
        """The same as of every report, and 3 where a file could not be written in its place, or the work had to stop."""
        if self.stopped:
            return INCOMPLETE
        return INCOMPLETE if self.unwritable and not self.interrupted else super().exit_code(fail_on)

    def table(self) -> Table:
        """The files that were written, as the receipt records them: names, digests, and the pixels of each id before and after."""
        return Table(_COLUMNS, [(file.name, file.source, file.digest, file.source_digest, file.before, file.after)
                                for file in self.written])

    def save(self, path: str | os.PathLike[str], *, fail_on: FailOn = Severity.ERROR) -> None:  # noqa: ARG002
        """Refused: the receipt is what a rewrite leaves behind, and a scan of its folder can be reported.

        Raises
        ------
        UsageError
            Always.
        """
        raise UsageError(f"'{path}' was not written: what a {self.command} did stands in the receipt beside the masks, and to_json() tells "
                         "it; reports in files are those of a scan, so scan what was written.", argument="path")

    def what(self) -> str:
        """The number of files that were written."""
        return f"{count(len(self.written), 'file')} written"

    def lines(self) -> Iterator[str]:
        """The text report, line by line, as `labelguard.report.style.rendered` takes it."""
        yield from (f"inferred: {line}" for line in self.inferred)
        for line in self.about:
            yield from wrapped("colors: ", line)
        if self.dry_run:
            yield from table_lines(self.stage, self.before, self.spec)
            yield from finding_lines(self.findings)
            yield " ".join(["Dry run: nothing was written.", *self._would_be_refused()])
            return
        for remark in self.remarks:
            yield from wrapped("resumed: ", remark)
        if self.written:
            yield from self._changes()
        yield from finding_lines(self.findings)
        yield ""
        yield from (f"error: {why}" for _, why in self.unwritable[:_MOST_FILES])
        if len(self.unwritable) > _MOST_FILES:
            yield f"error: {count(len(self.unwritable) - _MOST_FILES, 'more file')} cannot be written."
        yield from self._ending()
        if self.probe is not None:
            yield ""
            yield from self.probe.lines()

    def _would_be_refused(self) -> Iterator[str]:
        if self.refused and self.stage.reads_colors:
            yield f"{count(len(self.refused), 'color')} would be refused."
        elif self.refused:
            yield f"{'Id' if len(self.refused) == 1 else 'Ids'} {listed(self.refused, 50)} would be refused."

    def _changes(self) -> Iterator[str]:
        """What became of each id."""
        if self.stage.resizes:
            return share_lines(self.stage, self.before, self.after, self.spec)
        return table_lines(self.stage, self.before, self.spec)

    def _ending(self) -> Iterator[str]:
        """What lies in the output folder, and whether that is all."""
        if self.written:
            accounted = "" if self.stage.resizes else f", every {'color' if self.stage.reads_colors else 'id'} accounted for"
            before, after = (sum(pixels.values()) for pixels in (self.before, self.after))
            changed = len(self.written) - self.copied
            yield f"{count(changed, 'file')} written to {self.out}: {before:,} pixels read, {after:,} written{accounted}."
            if self.copied:
                yield f"{count(self.copied, 'other file')} copied to {self.out} byte for byte."
            if self.unwritten:
                yield f"{count(self.unwritten, 'file')} NOT written: see above."
        elif not self.present:
            yield "Nothing was written."
        if not self.complete:
            yield " ".join(self._broken_off())
        elif self.written:
            yield f"Receipt: {self.out}/{FILE_NAME}"

    def _broken_off(self) -> Iterator[str]:
        """How far the work has come, why no further, and how to go on."""
        yield f"INCOMPLETE: {'stopped' if self.stopped else 'interrupted'} after {self.done:,} of {count(self.files, 'file')}."
        if self.present:
            yield f"{count(self.present, 'whole file')} lie{'s' if self.present == 1 else ''} in {self.out}."
        more = self.present - len(self.written)
        if more > 0 and self.written:
            yield (f"{more:,} of them {'was' if more == 1 else 'were'} still to be looked at when the work ended, and "
                   f"{'is' if more == 1 else 'are'} checked, or done again, with --resume.")
        if self.stopped:
            yield self.stopped
        first = "" if not self.stopped else "Make room first; then the" if _is_full(self.stopped) else "Once that is mended, the"
        yield f"{first or 'The'} same command with --resume continues."

    def done_in_words(self) -> str:
        """What was written where, for who gets nothing else to read."""
        if self.dry_run or not (self.written or self.present):
            return "Nothing was written."
        if not self.complete:
            return f"{count(self.present, 'whole file')} lie{'s' if self.present == 1 else ''} in '{self.out}'; --resume continues."
        return f"{count(len(self.written), 'file')} and the receipt, {FILE_NAME}, were written to '{self.out}'."

    def head(self) -> dict[str, Any]:
        """The JSON report without its findings, its summary and its exit code."""
        before, after = Counter(self.before), Counter(self.after)
        return {
            "labelguard": __version__,
            "command": self.command,
            "dataset": {"root": self.source, "files": self.files, "pixels": before.total(),
                        "ids": {self.stage.source_text(label): before[label] for label in sorted(before)}},
            "spec": {"num_classes": self.spec.num_classes, "ignore_index": list(self.spec.ignore_index),
                     "source": "inferred" if self.inferred else "declared", "inferred": list(self.inferred)},
            "out": self.out,
            "stages": repr(self.stage),
            "dry_run": self.dry_run,
            "written": len(self.written),
            "copied": self.copied,
            "unwritten": self.unwritten,
            "unwritable": [{"path": path, "why": why} for path, why in self.unwritable],
            "present": self.present,
            "remarks": list(self.remarks),
            "moves": {self.stage.source_text(label): moved for label, moved in self.moves.items()},
            "result": {"pixels": after.total(), "ids": _texts(after)},
            "probe": None if self.probe is None else self.probe.to_dict(),
        }


def _is_full(why: str) -> bool:
    """Whether it was for want of room on the disk."""
    return any(os.strerror(number).lower() in why for number in (errno.ENOSPC, errno.EDQUOT))


def _texts(pixels: Mapping[int, int]) -> dict[str, int]:
    return {str(label): pixels[label] for label in sorted(pixels)}

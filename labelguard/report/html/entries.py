"""What is said of some files on a page: the sentence, its evidence, its fix, and the files with their shares, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest

from labelguard.finding import Finding, Fix, FixLine
from labelguard.report.by_file import by_file
from labelguard.report.html.exhibit import Exhibit
from labelguard.report.html.mask_set import Sets
from labelguard.report.text import Fact
from labelguard.text import count, of_files, shortened

_MOST_ROWS = 2_000   # files of a finding
_MOST_EVIDENCE = 20  # lines
_MOST_TOLD = 3       # files of which each is told for itself
_MOST_SHOWN = 12     # files that pictures are chosen from


@dataclass(frozen=True)
class Details:
    """What else is to be said of a finding: facts, and texts to be copied as they are, each below its title."""

    facts: tuple[Fact, ...] = ()
    texts: tuple[Fact, ...] = ()


DetailsOf = Callable[[Finding], Details]


@dataclass(frozen=True)
class FileRow:
    """A file that a finding concerns: its name, how many pixels of it and their share, the first of them, and what is said of it alone."""

    path: str
    pixels: int | None = None
    share: float = 0.0
    place: str = ""
    message: str = ""


@dataclass
class Entry:
    """What is said of some files: those of a finding about the set, a single one, or all that have findings of their own.

    Parameters
    ----------
    message, evidence, fix
        What is wrong, why that is said, and what to do.
    path
        The file, where it is about one.
    files
        In how many files it is, in words.
    rows
        These files, the worst first, as many as fit; there are `num_files`.
    details
        What else is to be said.
    weighed
        Whether it is the likeliest of several explanations.
    shown
        The worst files that have an image, or else the worst ones, and their findings: what pictures are chosen from.
    exhibits
        What there is to see.
    """

    message: str = ""
    path: str = ""
    evidence: tuple[str, ...] = ()
    fix: tuple[FixLine, ...] = ()
    files: str = ""
    rows: list[FileRow] = field(default_factory=list)
    num_files: int = 0
    details: Details = Details()
    weighed: bool = False
    shown: tuple[tuple[str, Finding], ...] = ()
    exhibits: list[Exhibit] = field(default_factory=list)

    @property
    def more_files(self) -> str:
        """How many files have no row; empty where all have one, or none."""
        return f"and {count(self.num_files - len(self.rows), 'more file')}" if self.rows and self.num_files > len(self.rows) else ""

    @property
    def columns(self) -> dict[str, bool]:
        """Which of the columns beside the name any row has something in."""
        return {name: any(getattr(row, name) for row in self.rows) for name in ("pixels", "place", "message")}

    @property
    def points(self) -> bool:
        """Whether there is something to point at in its files."""
        return any(finding.ids or finding.first or finding.box for _, finding in self.shown)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands in its fix."""
        return tuple(part.text for part in self.fix if part.is_command)

    @property
    def texts(self) -> Iterator[str]:
        """All that it says, without the rows."""
        yield from (self.message, self.path, self.files, *self.evidence, *(part.text for part in self.fix))
        yield from (text for fact in (*self.details.facts, *self.details.texts) for text in fact)


def of_set(finding: Finding, sets: Sets, details_of: DetailsOf) -> Entry:
    """A finding about the set, with its files, unless these are all files of the set and nothing else is to be said of each."""
    entry = _entry(finding, details_of(finding))
    paths = [*finding.files]
    if not paths:
        return entry
    told = {path: sets.of(finding, path).share(path, finding) for path in paths}
    worst = nsmallest(_MOST_ROWS, paths, key=lambda path: (-(told[path] or (0, 0))[0], path))
    everything = len(sets.of(finding, worst[0]).records) if finding.subject == "mask" and (finding.split or len(sets.all) == 1) else 0
    entry.num_files = len(paths)
    entry.files = of_files(len(paths), everything) if everything else f"in {count(len(paths), 'file')}"
    if len(paths) != everything or finding.pixels:
        entry.rows = [FileRow(shortened(path), *(told[path] or ())) for path in worst]
        entry.shown = _shown([(path, finding) for path in worst], sets)
    return entry


def of_single_files(findings: Sequence[Finding], sets: Sets, details_of: DetailsOf) -> Iterator[Entry]:
    """What findings on single files have in common, or else the worst files one by one; then all files."""
    if not findings:
        return
    each = sets.of(findings[0], findings[0].path or "")
    found = by_file([replace(finding, path=each.own(finding.path or "")) for finding in findings], each.data)
    prefix = f"{each.name}/" if findings[0].split else ""
    files = {f"{prefix}{path}": some for path, some in found.files.items()}
    worst = [(path, first) for path, (first, *_) in files.items()]
    if not found.message:
        for path, finding in worst[:_MOST_TOLD]:
            entry = _entry(finding, details_of(finding))
            yield replace(entry, path=shortened(path), files=_more(files[path]), shown=((path, finding),),
                          fix=() if found.one_fix and len(worst) > 1 else entry.fix)
        if len(worst) == 1:
            return
    alike = len({finding.message for finding in findings}) == 1
    fix = _fix_lines(findings[0].fix) if found.one_fix else ()
    every = Entry(shortened(found.message), "", _lines((*found.evidence, *[found.trait] * bool(found.trait))), fix, num_files=len(worst),
                  files=f"in {count(len(worst), 'file')}")
    if findings[0].subject == "mask" and len(worst) <= len(each.records):
        every.files = of_files(len(worst), len(each.records))
    every.rows = [_row(path, finding, files[path], sets, alike) for path, finding in worst[:_MOST_ROWS]]
    if found.message:
        every.shown = _shown(worst, sets)
    yield every


def _row(path: str, finding: Finding, findings: Sequence[Finding], sets: Sets, alike: bool) -> FileRow:
    place = f"{finding.first[0]}, {finding.first[1]}" if finding.first else ""
    told = sets.of(finding, path).share(path, finding) or (finding.pixels, 0.0)
    return FileRow(shortened(path), *told, place, "" if alike else f"{shortened(finding.message, 300)}{_more(findings)}")


def _shown(files: list[tuple[str, Finding]], sets: Sets) -> tuple[tuple[str, Finding], ...]:
    """Some of the files, of those first that have an image."""
    return tuple(sorted(files, key=lambda file: not sets.of(file[1], file[0]).has_image(file[0]))[:_MOST_SHOWN])


def _more(findings: Sequence[Finding]) -> str:
    """How many findings of a file are not told beside its worst one."""
    return f" (and {count(len(findings) - 1, 'more finding')} in this file)" if len(findings) > 1 else ""


def _entry(finding: Finding, details: Details) -> Entry:
    return Entry(shortened(finding.message), evidence=_lines(finding.evidence), fix=_fix_lines(finding.fix), details=details,
                 weighed=finding.weighed)


def _lines(evidence: Sequence[str]) -> tuple[str, ...]:
    """The lines of evidence that are shown."""
    more = [f"and {count(len(evidence) - _MOST_EVIDENCE, 'more line')}"] if len(evidence) > _MOST_EVIDENCE else []
    return (*map(shortened, evidence[:_MOST_EVIDENCE]), *more)


def _fix_lines(fix: Fix) -> tuple[FixLine, ...]:
    """A fix in pieces, each command for itself, to be copied."""
    return (*(line if line.is_command else FixLine(shortened(line.text), False) for line in fix.lines),
            *[FixLine(fix.remark, False)] * bool(fix.remark))

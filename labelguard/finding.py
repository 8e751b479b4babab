"""A finding: one fault of the data, with its evidence and how to fix it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Literal, NamedTuple

from labelguard.text import printable, shell_command

Subject = Literal["mask", "image"]
PLACEHOLDER = "SRC"  # stands for the folder in a command where masks of several folders were read
Arguments = tuple[str, ...]  # of a command: its name and every argument, unquoted


class Severity(StrEnum):
    """How serious a finding is; an error stops a training run or spoils it silently."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for a note, 2 for an error: a higher rank is worse."""
        return _RANKS[self]


_RANKS = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


class FileList(Collection[str]):
    """The files that a finding concerns: how many there are, the first of them, and an iterator over all.

    Equal to any list or tuple of the same names in the same order, and hashed like that tuple. Picklable where the source is.

    Parameters
    ----------
    source
        The names, in the order of the report: anything that knows its length and can be iterated over again and again. It is kept and
        not copied, so that a query may stand for the names; it must not change afterwards.
    """

    __slots__ = ("_source",)

    FIRST = 1000

    def __init__(self, source: Collection[str] = ()) -> None:
        self._source: Collection[str] = source._source if isinstance(source, FileList) else source

    def __len__(self) -> int:
        return len(self._source)

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __contains__(self, name: object) -> bool:
        return name in self._source

    @property
    def first(self) -> tuple[str, ...]:
        """The first names, `FIRST` at most, for whoever shows some."""
        return tuple(islice(self, self.FIRST))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (FileList, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[FileList], tuple[Collection[str]]]:
        return FileList, (self._source,)

    def __repr__(self) -> str:
        shown = [*map(repr, islice(self, 3)), *["..."] * (len(self) > 3)]
        return f"FileList({len(self):,}: {', '.join(shown)})" if shown else "FileList()"


NO_FILES = FileList()


class FixLine(NamedTuple):
    """A piece of a fix: a sentence, or a command to be copied."""

    text: str
    is_command: bool


@dataclass(frozen=True, slots=True)
class Fix:
    """How to fix a finding: a command to run as it stands, or advice, which may contain commands.

    ``str(fix)`` is the printed sentence, in which each command is quoted for a shell; an empty fix is false.

    Parameters
    ----------
    parts
        The sentence in pieces: text as a string, each command as the tuple of its arguments.
    safe
        Whether running the command as printed fixes the finding without a decision by the user. Advice is never safe.
    """

    parts: tuple[str | Arguments, ...] = ()
    safe: bool = False

    @classmethod
    def command(cls, *arguments: str, safe: bool = True) -> Fix:
        """One command and nothing else; not `safe` where it rests on an assumption that the user should check."""
        return cls((arguments,), safe)

    @classmethod
    def advice(cls, *parts: str | Arguments | Fix) -> Fix:
        """A sentence for the user to act on, from text, commands and other fixes."""
        return cls(tuple(piece for part in parts for piece in (part.parts if isinstance(part, Fix) else (part,)) if piece))

    @classmethod
    def of(cls, fix: Fix | str) -> Fix:
        """The fix itself, or a plain sentence as advice."""
        return fix if isinstance(fix, Fix) else cls.advice(fix)

    @property
    def commands(self) -> tuple[Arguments, ...]:
        """The commands in the sentence, in order, each as its arguments: ``("labelguard", "remap", "masks", "--shift", "-1")``."""
        return tuple(part for part in self.parts if not isinstance(part, str))

    @property
    def is_command(self) -> bool:
        """Whether it is one command and nothing else, to be copied as it stands."""
        return len(self.parts) == len(self.commands) == 1

    @property
    def lines(self) -> Iterator[FixLine]:
        """The sentence in pieces that can stand each on a line of its own."""
        for part in self.parts:
            if not isinstance(part, str):
                yield FixLine(shell_command(part), True)
            elif text := part.strip(" ").lstrip(",.; "):
                yield FixLine(text, False)

    @property
    def remark(self) -> str:
        """What has to be known to run its commands; empty where they run as they stand."""
        missing = any(PLACEHOLDER in command for command in self.commands)
        return f"{PLACEHOLDER} stands for the folder that holds these files." if missing else ""

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else shell_command(part) for part in self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of the data.

    Parameters
    ----------
    code, name
        The code of the rule, LG and three digits, and its name, such as ``uint8-wraparound``.
    severity
        How serious it is.
    message
        What is wrong, in one sentence.
    path
        The file; None for a finding about the data set.
    files
        Every file that a finding about the data set concerns; empty for a finding about one file. Any collection of names becomes a
        `FileList`.
    ids
        The label ids concerned.
    pixels
        How many pixels are concerned; None where a number would mean nothing.
    first
        The first such pixel in row order, as (row, column).
    box
        Bounding box of those pixels as (row0, column0, row1, column1), the ends exclusive.
    evidence
        What supports it, one line each.
    fix
        The command that fixes it, or what to do; empty where nothing does.
    explains
        Further ids whose presence or absence this fault explains, such as a class that a shift has emptied.
    subject
        What `path` and `files` name: masks, relative to the scanned root; images, relative to the folder of the images.
    split
        The split that it is about, whose name then starts the file names; None where there are no splits, or it concerns several.
    says_where
        Whether `message` already names the place of `first`.
    weighed
        Whether it is the likeliest of several explanations of the ids, which the report tells with their odds.
    accepted
        Why somebody has accepted it (a table ``[[accept]]``); empty where nobody has.
    known
        Whether a baseline holds it.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str | None = None
    files: FileList = NO_FILES
    ids: tuple[int, ...] = ()
    pixels: int | None = None
    first: tuple[int, int] | None = None
    box: tuple[int, int, int, int] | None = None
    evidence: tuple[str, ...] = ()
    fix: Fix = Fix()
    explains: tuple[int, ...] = ()
    subject: Subject = "mask"
    split: str | None = None
    says_where: bool = False
    weighed: bool = False
    accepted: str = ""
    known: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", FileList(self.files))

    @property
    def counts(self) -> bool:
        """Whether it can fail a run: it is neither accepted nor known."""
        return not self.accepted and not self.known

    @property
    def concerns(self) -> FileList:
        """The files that this finding is about."""
        return self.files if self.path is None else FileList((self.path,))

    @property
    def located(self) -> str:
        """The message, and after it where the first pixel lies, unless it says that itself."""
        if self.first is None or self.says_where:
            return self.message
        return f"{self.message} First at row {self.first[0]}, column {self.first[1]}."

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path is not None else ""
        return printable(f"{where}{self.code} {self.name}: {self.message}")

    def _repr_html_(self) -> str:
        """The finding as a notebook shows it; whatever it names is text."""
        from html import escape

        def text(words: str) -> str:
            return escape(printable(words))

        where = f"{text(self.path)}: " if self.path is not None else ""
        evidence = "".join(f"<li>{text(line)}</li>" for line in self.evidence)
        fix = f"<div>fix: <code>{text(str(self.fix))}</code></div>" if self.fix.is_command else f"<div>fix: {text(str(self.fix))}</div>"
        return (f"<div><strong>{self.severity.value} {text(f'{self.code} {self.name}')}</strong><div>{where}{text(self.message)}</div>"
                f"{f'<ul>{evidence}</ul>' if evidence else ''}{fix if self.fix else ''}</div>")

"""A finding: one fault of the data, with its evidence and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Subject = Literal["mask", "image"]


class Severity(StrEnum):
    """How much a finding hurts; `error` stops a training run or spoils it silently."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for a note, 2 for an error: a higher rank is worse."""
        return _RANKS[self]


_RANKS = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault.

    Parameters
    ----------
    code, name
        The rule, as in ``LG102`` and ``uint8-wraparound``.
    severity
        What it does to a training run.
    message
        One sentence that a stranger understands.
    path
        The file; None for a finding about the data set.
    files
        Every file that a finding about the data set concerns; empty for a finding about one file.
    ids
        The label ids concerned.
    pixels
        How many pixels are concerned, None where that means nothing.
    first
        The first such pixel as (row, column).
    box
        Bounding box of those pixels as (row0, column0, row1, column1), the ends outside.
    evidence
        What speaks for it, one line each.
    fix
        The command, or the step, that mends it; empty where nothing does.
    explains
        Further ids whose presence or absence this cause accounts for, such as a class that a shift has emptied.
    subject
        What `path` and `files` name: masks, relative to the scanned root; images, relative to the folder of the images.
    split
        The split that it is about, whose name stands before the files then; None where there are no splits, or several are meant.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str | None = None
    files: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    pixels: int | None = None
    first: tuple[int, int] | None = None
    box: tuple[int, int, int, int] | None = None
    evidence: tuple[str, ...] = ()
    fix: str = ""
    explains: tuple[int, ...] = ()
    subject: Subject = "mask"
    split: str | None = None

    @property
    def concerns(self) -> tuple[str, ...]:
        """The files that this finding is about."""
        return self.files if self.path is None else (self.path,)

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path is not None else ""
        return f"{where}{self.code} {self.name}: {self.message}"

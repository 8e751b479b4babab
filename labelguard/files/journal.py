"""The journal of a run that writes masks: what is finished, line by line, so that a run that was broken off can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from labelguard._version import __version__
from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.files._differences import difference
from labelguard.files.output_folder import Identity, OutputFolder
from labelguard.files.read import read_bytes
from labelguard.files.receipt import Provenance, WrittenFile, read_receipt
from labelguard.text import reason

JOURNAL_NAME = ".labelguard-journal.jsonl"

_BATCH = 512


class Journal:
    """What a run has finished; gone once the receipt is written.

    Files are brought to the disk in batches, and only then recorded: what the journal names survives a loss of power.

    Parameters
    ----------
    folder
        The folder that is written to.
    provenance
        What is done to every file; with the source, the first line of the journal.
    source
        The file or folder that is read.
    """

    def __init__(self, folder: OutputFolder, provenance: Provenance, source: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder.path, JOURNAL_NAME)
        self.work = {"labelguard": __version__, **provenance.to_dict(), "source": os.path.realpath(source)}  # there is no table yet
        self.files: dict[str, WrittenFile] = {}
        self._identity: Identity = (0, 0)
        self._pending: list[WrittenFile] = []

    def resume(self) -> bool:
        """Take up what an earlier run has recorded; gives whether that run was finished, so that only its receipt is left, which does not
        say where the sources lay.

        Raises
        ------
        IncompleteError
            When the earlier run did something else, or with another source or version, or its journal or receipt is damaged.
        """
        finished = read_receipt(self.folder.path)
        if finished is not None:
            self._check_version("written", finished.version)
        if finished is not None and (finished.stages, finished.part) != (self.work["stages"], self.work.get("part", "")):
            raise IncompleteError(f"'{self.folder.path}' is finished, and was made with other options: "
                                  f"{difference(vars(finished), self.work)}. Choose another folder with --out.")
        lines = self._lines()
        if lines is None:
            self.files = {} if finished is None else finished.written()
            return finished is not None
        self._check(_parsed(lines[0]) if lines else None)
        self.files = {file.name: file for file in _records(lines[1:])}
        return False

    def _lines(self) -> list[bytes] | None:
        """The lines of the journal; None where there is none."""
        if not os.path.lexists(self.path):
            return None
        try:
            return read_bytes(self.path).splitlines()
        except UnreadableMaskError as problem:
            raise IncompleteError(f"The journal '{self.path}' {problem}. Without it the run cannot go on: choose another folder with "
                                  "--out.") from None

    def _check(self, begun: object) -> None:
        """Refuse to go on with something else."""
        if begun == self.work:
            return
        if not isinstance(begun, dict) or not isinstance(begun.get("source"), str) or not isinstance(begun.get("stages"), str):
            raise IncompleteError(f"The journal '{self.path}' is damaged: it does not say what was begun. Choose another folder with "
                                  "--out.")
        self._check_version("begun", begun.get("labelguard"))
        if {**begun, "source": None} == {**self.work, "source": None}:
            raise IncompleteError(f"'{self.folder.path}' was begun from another source, {begun['source']!r}. Repeat that with --resume, or "
                                  "choose another folder with --out.")
        raise IncompleteError(f"'{self.folder.path}' was begun with other options: "
                              f"{difference(begun, self.work)}. Repeat those with --resume, or "
                              "choose another folder with --out.")

    def _check_version(self, what: str, version: object) -> None:
        """Refuse to go on with what another version has begun: it may write other bytes, and no receipt may name one for both."""
        if version != __version__:
            which = f"labelguard {version}" if isinstance(version, str) and version else "another version of labelguard"
            raise IncompleteError(f"'{self.folder.path}' was {what} by {which}, and this is {__version__}. Go on with that version, or "
                                  "choose another folder with --out.")

    def begin(self) -> None:
        """Write the journal anew, with what is known to be done, and bring it to the disk before anything is written beside it."""
        lines = [self.work, *map(vars, self.files.values())]
        self._identity = self.folder.write(JOURNAL_NAME, b"".join(map(_line, lines)), lasting=True)

    def add(self, file: WrittenFile) -> None:
        """Record a file that was written; `flush` makes the record last."""
        if self.files.get(file.name) == file:
            return
        self.files[file.name] = file
        self._pending.append(file)
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Bring written files to the disk, then their records.

        Raises
        ------
        IncompleteError
            When the journal cannot be written.
        """
        if not self._pending:
            return
        if hasattr(os, "sync"):
            os.sync()  # one for many files: one for each would cost more than all the rest
        try:
            self.folder.append(JOURNAL_NAME, b"".join(_line(vars(file)) for file in self._pending), self._identity)
        except OSError as problem:
            raise IncompleteError(f"'{self.path}' cannot be written: {reason(problem)}.") from None
        self._pending.clear()

    def remove(self) -> None:
        """Remove the journal."""
        self.folder.unlink(JOURNAL_NAME)


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values).encode() + b"\n"


def _parsed(line: bytes) -> object:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _records(lines: list[bytes]) -> Iterator[WrittenFile]:
    """What lines record, up to one that a loss of power has torn, or that labelguard has not written: what follows is done again."""
    for line in lines:
        file = WrittenFile.of(_parsed(line))
        if file is None:
            return
        yield file

"""The journal of a run that writes masks: what is finished, line by line, so that a run that was broken off can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from labelguard.errors import IncompleteError
from labelguard.files.receipt import Provenance, WrittenFile, read_receipt
from labelguard.files.write import write_whole

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
        What is done to every file; the first line of the journal.
    """

    def __init__(self, folder: str, provenance: Provenance) -> None:
        self.folder = folder
        self.path = os.path.join(folder, JOURNAL_NAME)
        self.provenance = provenance
        self.files: dict[str, WrittenFile] = {}
        self._pending: list[WrittenFile] = []

    def resume(self) -> None:
        """Take up what an earlier run has recorded.

        Raises
        ------
        IncompleteError
            When the earlier run did something else.
        """
        finished = read_receipt(self.folder)
        if finished is not None and finished.stages != self.provenance.stages:
            raise IncompleteError(f"'{self.folder}' is finished, and was made with other options ({finished.stages}). "
                                  "Choose another folder with --out.")
        lines = _lines(self.path)
        begun = next(lines, None)
        if begun is not None and begun != self.provenance.to_dict():  # there is no table yet in either
            raise IncompleteError(f"'{self.folder}' was begun with other options ({begun.get('stages')}). Repeat those with --resume, or "
                                  "choose another folder with --out.")
        self.files = {line["name"]: WrittenFile(**line) for line in lines}

    def begin(self) -> None:
        """Write the journal anew, with what is known to be done."""
        lines = [self.provenance.to_dict(), *map(vars, self.files.values())]
        write_whole(self.path, b"".join(json.dumps(line).encode() + b"\n" for line in lines))

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
            with open(self.path, "ab") as journal:
                journal.writelines(json.dumps(vars(file)).encode() + b"\n" for file in self._pending)
                journal.flush()
                os.fsync(journal.fileno())
        except OSError as problem:
            raise IncompleteError(f"'{self.path}' cannot be written: {problem.strerror}.") from None
        self._pending.clear()

    def remove(self) -> None:
        """Remove the journal, and the folder where nothing else was written."""
        Path(self.path).unlink(missing_ok=True)
        with suppress(OSError):
            os.rmdir(self.folder)  # fails where it holds anything


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a journal, up to one that a loss of power has torn."""
    with suppress(FileNotFoundError, ValueError), open(path, "rb") as journal:
        yield from map(json.loads, journal)

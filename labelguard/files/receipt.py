"""Receipts: what a folder of written masks was made from, file by file; and the journal that a broken-off run leaves behind.

A receipt holds no time and no machine, so that the same work leaves the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labelguard._version import __version__
from labelguard.errors import IncompleteError
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.write import write_whole

FILE_NAME = RECEIPT_NAME
JOURNAL_NAME = ".labelguard-journal.jsonl"


@dataclass(frozen=True)
class WrittenFile:
    """One written file.

    Parameters
    ----------
    name, source
        The file and what it was made from, relative to their folders.
    digest, source_digest
        Digests of the two files' bytes.
    before, after
        Pixels of each id, as texts to counts, since JSON has no other keys.
    """

    name: str
    source: str
    digest: str
    source_digest: str
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """What was done, as the receipt records it.

    Parameters
    ----------
    command
        ``remap``, ``resize`` or ``run``.
    stages
        The ``repr`` of the pipeline, which builds it again.
    remaps
        Whether ids were moved, so that doing it again would move them again.
    num_classes, ignore_index
        What the ids of the result mean.
    table
        Where each id that was met has gone, where ids were moved; filled in once all files are done.
    """

    command: str
    stages: str
    remaps: bool
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    table: dict[str, int] = field(default_factory=dict)


def digest(data: bytes) -> str:
    """A digest of a file's content (BLAKE2b, 160 bits)."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def write_receipt(folder: str, work: Job, entries: Iterable[WrittenFile]) -> None:
    """Write the receipt of a folder, and remove its journal.

    Raises
    ------
    IncompleteError
        When the folder cannot be written to.
    """
    files = {entry.name: {key: value for key, value in asdict(entry).items() if key != "name"}
             for entry in sorted(entries, key=lambda entry: entry.name)}
    text = json.dumps({"labelguard": __version__, **_json(work), "files": files}, indent=1, sort_keys=False)
    write_whole(os.path.join(folder, FILE_NAME), text.encode("utf-8", "surrogateescape") + b"\n")
    Path(folder, JOURNAL_NAME).unlink(missing_ok=True)


def read_receipt(folder: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The receipt that lies in a folder; None where there is none.

    Raises
    ------
    IncompleteError
        When it is damaged.
    """
    path = Path(folder, FILE_NAME)
    try:
        receipt = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        return receipt if isinstance(receipt["files"], dict) else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise IncompleteError(f"The receipt '{path}' is damaged ({problem}); remove it if you know what lies beside it.") from None


def find_receipt(source: str) -> tuple[Path, dict[str, Any]] | None:
    """The receipt that covers a file or folder: its own, or one in a folder above it."""
    start = Path(source).resolve()
    for folder in (start, *start.parents):
        if folder.is_dir() and (receipt := read_receipt(folder)) is not None:
            return folder / FILE_NAME, receipt
    return None


class Journal:
    """What a run has finished, line by line, so that `--resume` can go on; gone once the receipt is written.

    Files are written to disk in batches, and only then recorded: what the journal names survives a loss of power.
    """

    def __init__(self, folder: str, work: Job) -> None:
        self.path = os.path.join(folder, JOURNAL_NAME)
        self.work = work
        self.entries: dict[str, WrittenFile] = {}
        self._pending: list[WrittenFile] = []

    def resume(self) -> None:
        """Take up what an earlier run has recorded.

        Raises
        ------
        IncompleteError
            When the earlier run did other work.
        """
        folder = os.path.dirname(self.path)
        finished = read_receipt(folder)
        if finished is not None and finished.get("stages") != self.work.stages:
            raise IncompleteError(f"'{folder}' is finished, and was made with other options ({finished.get('stages')}); "
                                 "choose another --out.")
        for number, line in enumerate(_lines(self.path)):
            if number == 0:
                if line != _json(self.work):  # no table yet in either
                    raise IncompleteError(f"'{folder}' was begun with other options ({line.get('stages')}); "
                                         "repeat those with --resume, or choose another --out.")
            else:
                entry = WrittenFile(**line)
                self.entries[entry.name] = entry

    def begin(self) -> None:
        """Write the journal anew, with what is known to be done."""
        lines = [_json(self.work), *(asdict(entry) for entry in self.entries.values())]
        write_whole(self.path, b"".join(json.dumps(line).encode() + b"\n" for line in lines))

    def discard(self) -> None:
        """Leave nothing behind: nothing was written."""
        Path(self.path).unlink(missing_ok=True)
        with suppress(OSError):
            os.rmdir(os.path.dirname(self.path))

    def add(self, entry: WrittenFile) -> None:
        """Record a file that was written; `flush` makes the record last."""
        self.entries[entry.name] = entry
        self._pending.append(entry)
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Bring written files to the disk, then their records."""
        if not self._pending:
            return
        if hasattr(os, "sync"):
            os.sync()  # one for many files: one for each would cost more than all the rest
        try:
            with open(self.path, "ab") as file:
                file.writelines(json.dumps(asdict(entry)).encode() + b"\n" for entry in self._pending)
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise IncompleteError(f"'{self.path}' cannot be written: {problem.strerror}.") from None
        self._pending.clear()


_BATCH = 512


def _json(work: Job) -> dict[str, Any]:
    values = asdict(work)
    return {**values, "ignore_index": list(work.ignore_index)}


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The whole lines of a journal; a torn last one is left out."""
    try:
        with open(path, "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield json.loads(line)
    except FileNotFoundError:
        return
    except ValueError:
        return

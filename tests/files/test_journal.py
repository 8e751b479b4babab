"""The journal: nothing is recorded before it lies on the disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from labelguard import IncompleteError
from labelguard.files import journal as module
from labelguard.files.journal import JOURNAL_NAME, Journal
from labelguard.files.output_folder import OutputFolder
from labelguard.files.receipt import Provenance, WrittenFile

WORK = Provenance("remap", "Remap(shift=1)", True)


def entry(number: int) -> WrittenFile:
    return WrittenFile(f"{number}.png", f"{number}.png", "d", "s", {"0": 1}, {"1": 1})


def recorded(folder: Path) -> list[str]:
    return [json.loads(line).get("name") for line in (folder / JOURNAL_NAME).read_bytes().splitlines()[1:]]


def journal_of(folder: Path, work: Provenance = WORK, source: str = "masks") -> Journal:
    return Journal(OutputFolder.make(str(folder)), work, source)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = journal_of(tmp_path)
    journal.begin()
    return journal


def test_written_files_are_brought_to_the_disk_before_they_are_recorded(
        journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(os, "sync", lambda: seen.append(("files", recorded(tmp_path))))
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(("journal", recorded(tmp_path))))
    journal.add(entry(1))
    journal.flush()
    assert seen == [("files", []), ("journal", ["1.png"])]


def test_a_journal_that_cannot_be_brought_to_the_disk_ends_the_run(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    journal.add(entry(1))
    with pytest.raises(IncompleteError, match="cannot be written: input/output error"):
        journal.flush()


def test_files_are_recorded_in_batches(journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    syncs: list[int] = []
    monkeypatch.setattr(os, "sync", lambda: syncs.append(1))
    monkeypatch.setattr(module, "_BATCH", 3)
    for number in range(7):
        journal.add(entry(number))
    assert len(syncs) == 2 and len(recorded(tmp_path)) == 6
    journal.flush()
    journal.flush()
    assert len(syncs) == 3 and len(recorded(tmp_path)) == 7


def test_a_file_that_is_recorded_is_not_recorded_twice(journal: Journal, tmp_path: Path) -> None:
    for _ in range(2):
        journal.add(entry(1))
        journal.flush()
    assert recorded(tmp_path) == ["1.png"]


def test_what_was_recorded_is_taken_up_again(journal: Journal, tmp_path: Path) -> None:
    journal.add(entry(1))
    journal.flush()
    other = journal_of(tmp_path)
    other.resume()
    assert other.files == {"1.png": entry(1)}


def test_the_journal_of_something_else_is_refused(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match=r"begun with other options \(Remap\(shift=1\)\)"):
        journal_of(tmp_path, Provenance("remap", "Remap(shift=2)", True)).resume()


def test_an_empty_journal_is_a_run_that_has_just_begun(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).write_bytes(b"")
    journal = journal_of(tmp_path)
    journal.resume()
    assert journal.files == {}

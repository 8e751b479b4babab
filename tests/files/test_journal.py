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
    with pytest.raises(IncompleteError, match=r"begun with other options: shift was 1 and is 2\. Repeat"):
        journal_of(tmp_path, Provenance("remap", "Remap(shift=2)", True)).resume()


@pytest.mark.parametrize("content", [b"", b"\n", b'{"stages": "Rem'])
def test_a_journal_that_does_not_say_what_was_begun_is_not_taken_for_any_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / JOURNAL_NAME).write_bytes(content)
    with pytest.raises(IncompleteError, match="is damaged: it does not say what was begun"):
        journal_of(tmp_path).resume()


def test_the_journal_has_reached_the_disk_once_a_run_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append((tmp_path / JOURNAL_NAME).exists()))
    journal_of(tmp_path).begin()
    assert seen == ([False, True] if os.name == "posix" else [False])  # the file, and then the folder that it was renamed in


@pytest.mark.parametrize("version", ["0.0.9", None, 7])
def test_what_another_version_has_begun_is_not_gone_on_with(tmp_path: Path, version: object) -> None:
    journal_of(tmp_path).begin()
    begun = {**json.loads((tmp_path / JOURNAL_NAME).read_bytes()), "labelguard": version}
    (tmp_path / JOURNAL_NAME).write_text(json.dumps(begun) + "\n")
    with pytest.raises(IncompleteError, match=r"was begun by (labelguard 0\.0\.9|another version of labelguard), and this is .*--out"):
        journal_of(tmp_path).resume()

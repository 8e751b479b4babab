"""One run at a time in an output folder."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from labelguard.errors import IncompleteError
from labelguard.files import folder_lock
from labelguard.files.folder_lock import LOCK_NAME, locked, refuse_if_locked
from labelguard.files.output_folder import OutputFolder

HOLD = ("import sys, time; from labelguard.files.folder_lock import locked; from labelguard.files.output_folder import OutputFolder\n"
        "with locked(OutputFolder.make(sys.argv[1])): print('held', flush=True); time.sleep(60)")


@pytest.fixture
def folder(tmp_path: Path) -> OutputFolder:
    return OutputFolder.make(str(tmp_path / "out"))


def test_a_second_run_is_told_who_the_first_is(folder: OutputFolder) -> None:
    refuse_if_locked(folder)
    with locked(folder):
        for attempt in (lambda: locked(folder).__enter__(), lambda: refuse_if_locked(folder)):
            with pytest.raises(IncompleteError, match=rf"Another run of labelguard \(process {os.getpid()} on .*\) is writing to '.*out'"):
                attempt()
    refuse_if_locked(folder)
    assert os.listdir(folder.path) == []
    with locked(folder):
        assert os.listdir(folder.path) == [LOCK_NAME]


def test_a_lock_is_free_once_its_owner_is_dead(folder: OutputFolder) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, folder.path], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == b"held\n"
        with pytest.raises(IncompleteError, match=rf"\(process {owner.pid} on"):
            locked(folder).__enter__()
        owner.kill()
    assert os.listdir(folder.path) == [LOCK_NAME]
    with locked(folder):
        pass
    assert os.listdir(folder.path) == []


@pytest.mark.parametrize("content", [b"mine", b"12 on a host\nmore", b"\x1b[31m on x\n", b"1 on " + b"x" * 300 + b"\n"])
def test_somebody_elses_file_is_not_touched(folder: OutputFolder, content: bytes) -> None:
    folder.write(LOCK_NAME, content)
    with pytest.raises(IncompleteError, match="is not a lock of labelguard's; remove it"):
        locked(folder).__enter__()
    assert folder.read(LOCK_NAME) == content


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and modes")
def test_what_is_no_file_is_said(folder: OutputFolder) -> None:
    place = Path(folder.path, LOCK_NAME)
    os.mkfifo(place)
    with pytest.raises(IncompleteError, match="is not a lock of labelguard's"):
        locked(folder).__enter__()
    place.unlink()
    place.mkdir()
    with pytest.raises(IncompleteError, match="cannot be written to: .labelguard-lock: is a directory"):
        locked(folder).__enter__()


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_a_file_system_without_locks_lets_everybody_in(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder_lock.fcntl, "flock", none)
    with locked(folder), locked(folder):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_a_lock_that_was_removed_while_it_was_taken_is_taken_anew(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    take, taken = folder_lock.fcntl.flock, []

    def slow(descriptor: int, how: int) -> None:
        take(descriptor, how)
        taken.append(descriptor)
        if len(taken) == 1:
            folder.unlink(LOCK_NAME)  # its former owner does that last

    monkeypatch.setattr(folder_lock.fcntl, "flock", slow)
    with locked(folder):
        assert len(taken) == 2 and os.listdir(folder.path) == [LOCK_NAME]

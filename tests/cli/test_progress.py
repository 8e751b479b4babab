from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest

from labelguard.cli import progress
from labelguard.report.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def steps() -> Iterator[Progress]:
    for done in range(1, 4):
        yield Progress("reading", done, 3, f"{'deep/' * 20}{done}.png", unreadable=1)
    yield Progress("probing", 1, 2)


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", -1)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")


def shown(work: Iterable[Progress], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal shows of some work, to its end or its interruption."""
    terminal = Terminal()
    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(sys, "stderr", terminal)
        progress.watch(work)
    return terminal.getvalue()


def test_a_terminal_shows_what_is_under_way_and_both_ends_of_long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shown(steps(), monkeypatch)
    assert "reading" in seen and "probing" in seen and "3/3" in seen and "1/2" in seen
    assert "1 unreadable, deep/deep/dee...eep/deep/" in seen and "/3.png" in seen


def test_short_work_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 1e9)
    assert not shown(steps(), monkeypatch)


def test_scripts_see_nothing_of_short_work(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.waiting("thinking"):
        progress.watch(steps())
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_OF_A_LOG", -1)
    clock = iter(range(0, 10_000, 11))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    progress._watch(Progress("scanning", done, 10, f"{done}.png") for done in range(1, 8))
    printed, log = capsys.readouterr()
    assert not printed and [line for line in log.splitlines() if "scanning" in line] == [
        "labelguard: scanning: 1 of 10 (10 %)", "labelguard: scanning: 4 of 10 (40 %), about 88 s to go",
        "labelguard: scanning: 7 of 10 (70 %), about 38 s to go"]


def test_a_long_wait_is_not_silent(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_OF_A_LOG", 0.01)
    with progress.waiting("thinking"):
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "labelguard: thinking ...\n")
    terminal = Terminal()
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.waiting("thinking"):
        time.sleep(0.3)
    assert "thinking ..." in terminal.getvalue() and terminal.getvalue().endswith("\x1b[2K")  # and is taken away


@pytest.mark.parametrize(("seconds", "words"), [(9, "9 s"), (99, "99 s"), (600, "10 min"), (7200, "2.0 h")])
def test_what_is_left_is_said_in_the_unit_that_fits(seconds: float, words: str) -> None:
    assert progress._duration(seconds) == words


def test_an_interruption_takes_the_bar_away_and_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off() -> Iterator[Progress]:
        yield Progress("reading", 1, 3)
        raise KeyboardInterrupt

    assert shown(broken_off(), monkeypatch).endswith("\x1b[2K")  # the line is erased
    with pytest.raises(KeyboardInterrupt):
        progress.watch(broken_off())

from __future__ import annotations

import io
import sys
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


def test_a_terminal_shows_what_is_under_way_and_the_end_of_long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shown(steps(), monkeypatch)
    assert "reading" in seen and "probing" in seen and "3/3" in seen and "1/2" in seen
    assert "1 unreadable, ...p/deep/" in seen and "/3.png" in seen


def test_short_work_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 1e9)
    assert not shown(steps(), monkeypatch)


def test_scripts_see_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progress.watch(steps())
    assert capsys.readouterr() == ("", "")


def test_an_interruption_takes_the_bar_away_and_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off() -> Iterator[Progress]:
        yield Progress("reading", 1, 3)
        raise KeyboardInterrupt

    assert shown(broken_off(), monkeypatch).endswith("\x1b[2K")  # the line is erased
    with pytest.raises(KeyboardInterrupt):
        progress.watch(broken_off())

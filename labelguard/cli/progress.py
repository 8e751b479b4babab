"""What a person at a terminal sees while work is under way; nothing is printed for scripts."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import closing
from time import monotonic

from labelguard.cli.interruption import Interruption, check_interrupted, say_interrupted, was_interrupted
from labelguard.report.progress import Progress
from labelguard.text import printable

_PATIENCE = 0.5  # seconds before a bar is worth its import
_LONGEST_NAME = 40


def watch_to_its_end(work: Iterable[Progress]) -> None:
    """Do work to its end or its interruption, of which the report will tell."""
    try:
        watch(work)
    except KeyboardInterrupt:
        say_interrupted()


def watch(work: Iterable[Progress]) -> None:
    """Do work, with a bar on standard error where that is a terminal.

    Raises
    ------
    KeyboardInterrupt
        When a signal came, whatever a library made of it.
    """
    last = ""

    def noted() -> Generator[Progress, None, None]:
        nonlocal last
        for step in work:
            last = step.path or last
            yield step

    try:
        with closing(noted()) as steps:  # workers and journals come to their end before anything is reported
            _watch(steps)
    except Exception as problem:
        if was_interrupted():  # a worker that was ended, or compiled code that was
            raise Interruption from None
        if last:
            problem.add_note(f"The last file that was done is '{printable(last)}'.")
        raise


def _watch(work: Iterable[Progress]) -> None:
    started = monotonic()
    bar: _Bar | None = None
    try:
        check_interrupted()
        for step in work:
            check_interrupted()
            if bar is not None and step.what != bar.what:
                bar.close()
                bar = None
            if bar is None and sys.stderr.isatty() and monotonic() - started > _PATIENCE:
                bar = _Bar(step)
            if bar is not None:
                bar.show(step)
    finally:
        if bar is not None:
            bar.close()


class _Bar:
    def __init__(self, first: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        self.what = first.what
        self._progress = Progress(TextColumn("{task.fields[what]}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                                  TextColumn("{task.description}", markup=False), console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task("", total=first.total, what=printable(first.what))

    def show(self, step: Progress) -> None:
        path = printable(step.path)
        name = path if len(path) <= _LONGEST_NAME else "..." + path[3 - _LONGEST_NAME:]
        faults = f"{step.unreadable:,} unreadable, " if step.unreadable else ""
        self._progress.update(self._task, completed=step.done, description=faults + name)

    def close(self) -> None:
        self._progress.stop()

"""What is seen while work is under way: movement at a terminal, and elsewhere a line now and then, so that no long wait is silent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from time import monotonic

from labelguard.cli.interruption import Interruption, check_interrupted, say_interrupted, was_interrupted
from labelguard.cli.printing import remark
from labelguard.report.progress import Progress
from labelguard.text import middle_out, percent, printable

_PATIENCE = 0.5  # seconds before a bar is worth its import
_PATIENCE_OF_A_LOG, _BETWEEN_LINES = 10.0, 30.0  # seconds before a first line where nobody may be watching, and between lines
_LONGEST_NAME = 40


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is being waited for, where it takes longer than a moment, while no step can be counted."""
    over = threading.Event()

    def show() -> None:
        if not _is_watched():
            if not over.wait(_PATIENCE_OF_A_LOG):
                remark(f"{what} ...")
        elif not over.wait(_PATIENCE):
            from rich.console import Console
            with Console(stderr=True).status(f"{what} ..."):
                over.wait()

    watcher = threading.Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


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
    kind: type[_Bar | _Log] = _Bar if _is_watched() else _Log
    started, view = monotonic(), None
    try:
        check_interrupted()
        for step in _begun(work):
            check_interrupted()
            if view is not None and step.what != view.what:
                view.close()
                view = None
            if view is None and monotonic() - started > kind.patience():
                view = kind(step)
            if view is not None:
                view.show(step)
    finally:
        if view is not None:
            view.close()


def _begun(work: Iterable[Progress]) -> Iterator[Progress]:
    """The steps; before the first of them, files are being looked for, or a worker starts."""
    steps = iter(work)
    with waiting("getting ready"):
        first = next(steps, None)
    if first is not None:
        yield first
        yield from steps


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Log:
    """A line now and then, where nobody may be watching."""

    def __init__(self, first: Progress) -> None:
        self.what, self._begun, self._due = first.what, (monotonic(), first.done), 0.0

    @staticmethod
    def patience() -> float:
        """Seconds before the first line."""
        return _PATIENCE_OF_A_LOG

    def show(self, step: Progress) -> None:
        if (now := monotonic()) < self._due:
            return
        self._due = now + _BETWEEN_LINES
        seconds, done = now - self._begun[0], step.done - self._begun[1]
        left = f", about {_duration(seconds * (step.total - step.done) / done)} to go" if done > 0 else ""
        remark(f"{step.what}: {step.done:,} of {step.total:,} ({percent(step.done, step.total)}){left}")

    def close(self) -> None:
        """Nothing has to be taken away."""


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class _Bar:
    """A bar at a terminal, which is gone when the work is done."""

    @staticmethod
    def patience() -> float:
        """Seconds before it is worth its import."""
        return _PATIENCE

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
        name = middle_out(path, _LONGEST_NAME)
        faults = f"{step.unreadable:,} unreadable, " if step.unreadable else ""
        self._progress.update(self._task, completed=step.done, description=faults + name)

    def close(self) -> None:
        self._progress.stop()

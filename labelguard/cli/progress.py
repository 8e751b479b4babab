"""What a person at a terminal sees while work is under way; nothing is printed for scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from time import monotonic

import click

from labelguard.report.progress import Progress

_PATIENCE = 0.5  # seconds before a bar is worth its import
_LONGEST_NAME = 40


def watch(work: Iterable[Progress]) -> None:
    """Do work, with a bar on standard error where that is a terminal."""
    if sys.stderr.isatty() and _kernels_are_cold():
        click.echo("First run: compiling the kernels takes about ten seconds, once.", err=True)
    started = monotonic()
    bar: _Bar | None = None
    try:
        for step in work:
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


def _kernels_are_cold() -> bool:
    from labelguard.kernels.png_tally import png_tally
    stats = getattr(png_tally, "stats", None)
    return stats is not None and not any(Path(stats.cache_path).glob("png_tally.*.nbi"))


class _Bar:
    def __init__(self, first: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        self.what = first.what
        self._progress = Progress(TextColumn(first.what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                                  TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task("", total=first.total)

    def show(self, step: Progress) -> None:
        name = step.path if len(step.path) <= _LONGEST_NAME else "..." + step.path[3 - _LONGEST_NAME:]
        faults = f"{step.unreadable:,} unreadable, " if step.unreadable else ""
        self._progress.update(self._task, completed=step.done, description=faults + name)

    def close(self) -> None:
        self._progress.stop()

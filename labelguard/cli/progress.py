"""What a person at a terminal sees while work is under way; nothing is printed for scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

import click

from labelguard.runs.compare_splits import SplitScan
from labelguard.runs.scan import Scan

_PATIENCE = 0.5  # seconds before a bar is worth its import


def watched(work: Scan | SplitScan, verb: str = "scanning") -> Iterator[None]:
    """Drive a scan, with a bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        for _ in work:
            yield
        return
    if _kernels_are_cold():
        click.echo("First run: compiling the kernels takes about ten seconds, once.", err=True)
    started = monotonic()
    bar = None
    try:
        for done, report in enumerate(work, start=1):
            if bar is None and monotonic() - started > _PATIENCE:
                bar = _Bar(verb, work.total)
            if bar is not None:
                bar.show(done, work.unreadable if isinstance(work, SplitScan) else work.data.unreadable, report.path)
            yield
    finally:
        if bar is not None:
            bar.close()


def shown(work: Iterable[tuple[str, int, int]]) -> Iterator[None]:
    """Drive work that says what is under way, how much of it is done, and how much there is; with a bar likewise."""
    bar: _Bar | None = None
    started, verb = monotonic(), ""
    try:
        for now, done, total in work:
            if bar is not None and now != verb:
                bar.close()
                bar = None
            if bar is None and sys.stderr.isatty() and monotonic() - started > _PATIENCE:
                bar, verb = _Bar(now, total), now
            if bar is not None:
                bar.show(done, 0, "")
            yield
    finally:
        if bar is not None:
            bar.close()


def _kernels_are_cold() -> bool:
    from labelguard.kernels.png_tally import png_tally
    stats = getattr(png_tally, "stats", None)
    return stats is not None and not any(Path(stats.cache_path).glob("png_tally.*.nbi"))


class _Bar:
    def __init__(self, verb: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        self._progress = Progress(TextColumn(verb), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                                  TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
        self._progress.start()
        self._task = self._progress.add_task("", total=total)

    def show(self, done: int, unreadable: int, path: str) -> None:
        name = path if len(path) <= 40 else "..." + path[-37:]
        self._progress.update(self._task, completed=done, description=(f"{unreadable} unreadable, " if unreadable else "") + name)

    def close(self) -> None:
        self._progress.stop()

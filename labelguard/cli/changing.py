"""What the commands that write masks have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from labelguard.cli.interruption import say_interrupted
from labelguard.cli.options import memory_option
from labelguard.cli.printing import print_report, remark, saying_all_the_same
from labelguard.errors import IncompleteError
from labelguard.finding import Severity

if TYPE_CHECKING:
    from labelguard.report.progress import Progress
    from labelguard.report.rewrite import RewriteReport

_Function = TypeVar("_Function", bound=Callable[..., Any])


def writing_options(function: _Function) -> _Function:
    """Add the options of a command that writes masks."""
    for option in reversed((
        click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder to write to; by default a new one beside SRC."),
        click.option("--resume", is_flag=True, help="Continue a run that was interrupted."),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of workers; by default one per processor."),
        memory_option,
    )):
        function = option(function)
    return function


class Work(Protocol):
    """Masks that are being rewritten."""

    @property
    def begun(self) -> bool:
        """Whether there is a result to be taken."""

    def __iter__(self) -> Iterator[Progress]: ...

    def result(self) -> RewriteReport:
        """What was done up to now."""


def drive_rewrite(work: Work) -> int:
    """Do the work, and print what was done, also where it is interrupted; gives the exit code."""
    from labelguard.cli.progress import watch
    try:
        watch(work)
    except KeyboardInterrupt:
        if not work.begun:
            raise
        say_interrupted()
    except IncompleteError as problem:
        if work.begun and work.result().present:  # a full disk, or no GPU for the probe: what was written is reported all the same
            try:
                _print(replace(work.result(), stopped=str(problem)))
            except IncompleteError as unprinted:
                remark(str(unprinted))
        raise
    report = work.result()
    _print(report)
    return report.exit_code()


def _print(report: RewriteReport) -> None:
    with saying_all_the_same(report.done_in_words()):
        print_report(report, "text", None, Severity.ERROR)

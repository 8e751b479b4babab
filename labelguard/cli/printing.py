"""Everything that a command prints: reports on standard output, remarks on standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

from labelguard.errors import IncompleteError
from labelguard.report.limits import NORMAL, QUIET, VERBOSE, Limits, limited_to
from labelguard.report.style import rendered
from labelguard.report.width import WIDTH, wrapped_at
from labelguard.text import listed, printable, reason

if TYPE_CHECKING:
    from labelguard.report.base import FailOn, Format, Report
    from labelguard.report.report_file import ReportFile

DETAIL = "labelguard.detail"  # in click's meta: the name of the option that says how much is printed

_NARROWEST = 40  # characters


def say(*lines: str) -> None:
    """Print lines on standard output; `labelguard.report.style.style` may have marked them.

    Raises
    ------
    IncompleteError
        When they cannot be printed.
    """
    with _standard_output() as output:
        color = _takes_colors(output)
        output.writelines(f"{rendered(line, color)}\n" for line in lines)


def say_drawn(draw: Callable[[TextIO], tuple[Iterable[str], Iterable[str]]]) -> None:
    """Print a picture, and lines below it.

    Parameters
    ----------
    draw
        Is told the stream, and gives the picture in pieces, which are printed as they are and therefore hold no text of others, and the
        lines, as `say` takes them.

    Raises
    ------
    IncompleteError
        When they cannot be printed.
    """
    with _standard_output() as output, wrapped_at(columns(output)):
        picture, lines = draw(output)
        color = _takes_colors(output)
        output.writelines(picture)
        output.writelines(f"{rendered(line, color)}\n" for line in lines)


@contextmanager
def saying_all_the_same(done: str) -> Iterator[None]:
    """Where a report cannot be printed, say on standard error at least what was `done`.

    Raises
    ------
    IncompleteError
        When something within it was not printed.
    """
    try:
        yield
    except IncompleteError as problem:
        raise IncompleteError(f"{problem} {done}".rstrip()) from None


def _takes_colors(stream: TextIO) -> bool:
    """Whether a stream is a terminal that knows colors, and nobody has said that they are not wanted (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns(stream: TextIO) -> int:
    """The width of text for a stream: that of a terminal, as far as it can be read; else always the same."""
    if not stream.isatty():
        return WIDTH
    return min(max(get_terminal_size((WIDTH, 0)).columns, _NARROWEST), WIDTH)


def remark(sentence: str, *more: str) -> None:
    """Say a sentence on standard error, where there is one, and perhaps more lines below it."""
    if sys.stderr is not None:
        try:
            print(f"labelguard: {printable(sentence)}", *map(printable, more), sep="\n", file=sys.stderr, flush=True)
        except OSError:
            _mute(sys.stderr)


@contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Say what modules of ours warn of as a remark, without the line of code that it stands in."""
    package, others = os.path.dirname(os.path.dirname(__file__)), warnings.showwarning

    def show(message: Warning | str, category: type[Warning], filename: str, *more: Any, **named: Any) -> None:
        if filename.startswith(package):
            remark(str(message))
        else:
            others(message, category, filename, *more, **named)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = others


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Standard output, flushed. A reader that has read enough and closed the pipe is no fault: the rest is dropped, and the exit code is
    what it would have been, however many lines fitted into the pipe."""
    if sys.stdout is None:
        raise IncompleteError("Nothing can be printed: standard output is closed.")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        _mute(sys.stdout)
    except OSError as problem:
        _mute(sys.stdout)
        raise IncompleteError(f"Standard output cannot be written to: {reason(problem)}.") from None


def _mute(stream: TextIO) -> None:
    """Send what a stream still holds to nowhere, or the interpreter complains when it ends."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def print_report(report: Report, format_: Format, output: ReportFile | None, fail_on: FailOn, files: Sequence[ReportFile] = ()) -> None:
    """Print a report, or write it to a file, and write it to more `files`; see `labelguard.report.base.Report.write`.

    Raises
    ------
    IncompleteError
        When it cannot be printed, or a file cannot be written; where that was in place of printing, it is printed, so that it is not lost.
    """
    unwritten: list[ReportFile] = []
    wanted = _wanted()
    with limited_to(wanted._replace(only_failing=False)):  # a file is a whole report, or it would not be known for one
        for file in files:
            try:
                file.write(report, fail_on)
            except OSError as problem:
                remark(f"The report cannot be written to '{file.name}': {reason(problem)}.")
                unwritten.append(file)
        if output is not None:
            try:
                with output.open() as stream:
                    report.write(stream, format_, fail_on=fail_on)
            except OSError as problem:
                remark(f"The report cannot be written to '{output.name}': {reason(problem)}. It is printed instead.")
                unwritten.append(output)
    if output is None or output in unwritten:
        with _standard_output() as stream, wrapped_at(columns(stream)), limited_to(wanted):
            report.write(stream, format_, fail_on=fail_on, color=_takes_colors(stream))
    if unwritten:
        names = listed(f"'{file.name}'" for file in unwritten)
        raise IncompleteError(f"{names} {'was' if len(unwritten) == 1 else 'were'} not written.")


def _wanted() -> Limits:
    """How much of a report was asked for."""
    import click  # not before: an interruption has to be said while click is still being imported
    context = click.get_current_context(silent=True)
    return {"quiet": QUIET, "verbose": VERBOSE}.get(context.meta.get(DETAIL, "") if context else "", NORMAL)

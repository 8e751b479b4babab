"""Everything that a command prints: reports on standard output, remarks on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, TextIO

from labelguard.errors import IncompleteError, UsageError
from labelguard.report.style import rendered
from labelguard.text import printable

if TYPE_CHECKING:
    from labelguard.report.base import FailOn, Format, Report


def say(*lines: str) -> None:
    """Print lines on standard output; `labelguard.report.style.style` may have marked them.

    Raises
    ------
    IncompleteError
        When they cannot be printed.
    """
    with _standard_output() as output:
        output.writelines(f"{rendered(line, output.isatty())}\n" for line in lines)


def remark(sentence: str, *more: str) -> None:
    """Say a sentence on standard error, where there is one, and perhaps more lines below it."""
    if sys.stderr is not None:
        try:
            print(f"labelguard: {printable(sentence)}", *map(printable, more), sep="\n", file=sys.stderr, flush=True)
        except OSError:
            _mute(sys.stderr)


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
        raise IncompleteError(f"Standard output cannot be written to: {_why(problem)}.") from None


def _mute(stream: TextIO) -> None:
    """Send what a stream still holds to nowhere, or the interpreter complains when it ends."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def print_report(report: Report, format_: Format, output: Path | None, fail_on: FailOn) -> None:
    """Print a report, or write it to a file; see `labelguard.report.base.Report.write`.

    Raises
    ------
    IncompleteError
        When it cannot be printed, or the file cannot be written: then it is printed, so that it is not lost.
    """
    if output is None:
        with _standard_output() as stream:
            report.write(stream, format_, fail_on=fail_on, color=stream.isatty())
        return
    try:
        with _whole(output) as file:
            report.write(file, format_, fail_on=fail_on)
    except OSError as problem:
        remark(f"The report cannot be written to '{output}': {_why(problem)}. It is printed instead.")
        print_report(report, format_, None, fail_on)
        raise IncompleteError(f"'{output}' was not written.") from None


def check_output(output: Path | None) -> None:
    """Refuse, before there is anything to lose, a file that could not be written.

    Raises
    ------
    IncompleteError
        When there is no such folder, or it cannot be written to.
    UsageError
        When it is an image, which would be lost.
    """
    if output is None:
        return
    if output.is_file() and _is_image(output):
        raise UsageError(f"The report would take the place of an image, '{output}'; name another file with --output.")
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        raise IncompleteError(f"The report cannot be written to '{output}': there is no folder '{folder}'.")
    if not (os.access(output, os.W_OK) if _is_special(output) else os.access(folder, os.W_OK)):
        raise IncompleteError(f"The report cannot be written to '{output}': permission denied.")


def _is_image(path: Path) -> bool:
    """Whether a file is one that labelguard reads, by its content or, where that is damaged, by the name that a link leads to."""
    from labelguard.files.formats import MASK_SUFFIXES, format_name
    from labelguard.files.read import read_head
    return bool(format_name(read_head(path))) or os.path.splitext(os.path.realpath(path))[1].lower() in MASK_SUFFIXES


@contextmanager
def _whole(output: Path) -> Iterator[TextIO]:
    """A text file that takes the place of `output` when it is whole; a pipe or a device is written to as it stands."""
    if _is_special(output):
        with output.open("w", encoding="utf-8") as file:
            yield file
        return
    place = os.path.realpath(output)  # a link stays, and what it leads to is replaced
    handle, temporary = mkstemp(prefix=".labelguard-", dir=os.path.dirname(place))
    try:
        with open(handle, "w", encoding="utf-8") as file:
            os.chmod(temporary, _mode(place))
            yield file
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _is_special(output: Path) -> bool:
    return (output.exists() and not output.is_file()) or os.path.abspath(output).startswith(("/dev/", "/proc/"))


def _mode(place: str) -> int:
    """The permissions of the file that is replaced, or those of any new file."""
    with suppress(OSError):
        return os.stat(place).st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _why(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()

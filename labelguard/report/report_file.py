"""The files that reports are written to: a report may replace a report alone, and what appears in its place meanwhile is left alone."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TextIO

from labelguard.errors import IncompleteError, UsageError
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.formats import MASK_SUFFIXES
from labelguard.files.output_folder import Identity
from labelguard.files.whole_file import OWN_PREFIX, whole_file, writable_folder
from labelguard.report.recognize import is_a_report
from labelguard.report.written import CanBeWritten, FailOn, Writer, writer_of
from labelguard.spec.declarations import SPEC_FILE_NAME

_STREAM = re.compile(r"/dev/(stdout|stderr|fd/[0-9]{1,6})|/proc/self/fd/[0-9]{1,6}")
_OURS = (SPEC_FILE_NAME, RECEIPT_NAME)


@dataclass(frozen=True)
class ReportFile:
    """Where a report will be written; `report_file` makes one, before there is anything to lose.

    Parameters
    ----------
    name
        As the user wrote it.
    place
        The file itself, to which links have been followed once; empty for a device, a pipe or an open stream, which is written to.
    folder
        The identity of its folder: nothing is written once something else has taken its place.
    writer
        What the name asks for; None where it does not decide.
    """

    name: str
    place: str = ""
    folder: Identity = (0, 0)
    writer: Writer | None = None

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """A text file that takes its place when it is whole.

        Raises
        ------
        OSError
            When it cannot be written, or what lies there now is not to be replaced.
        """
        if not self.place:
            with _opened_device(self.name) as file:
                yield file
            return
        with whole_file(self.place, _may_be_replaced, self.folder) as file:
            yield file

    def write(self, report: CanBeWritten, fail_on: FailOn) -> None:
        """Write a report as the name asks for.

        Raises
        ------
        OSError
            When it cannot be written, or what lies there now is not to be replaced.
        """
        if self.writer is None:
            raise TypeError(f"the name '{self.name}' was not asked what to write")
        with self.open() as file:
            self.writer(report, file, fail_on)


def report_files(names: Iterable[str | os.PathLike[str]], others: Iterable[ReportFile] = ()) -> tuple[ReportFile, ...]:
    """Find out where reports will be written, and as what: their names say so.

    Parameters
    ----------
    names
        As the user wrote them.
    others
        Reports that are written besides.

    Raises
    ------
    IncompleteError, UsageError
        As `report_file` does, and when a name ends in nothing known, or two name one file.
    """
    files = [*others]
    for given in names:
        name = os.fspath(given)
        file = replace(report_file(name), writer=writer_of(name))
        for other in files:
            if _is_same(file, other):
                raise UsageError(f"'{other.name}' and '{name}' are one file, and only one report can lie there; choose another name.")
        files.append(file)
    return tuple(files[len([*others]):])


def _is_same(file: ReportFile, other: ReportFile) -> bool:
    """Whether two names are those of one file, also where the file system takes a for A."""
    if not (file.place and other.place):
        return file.name == other.name
    with suppress(OSError):
        return os.path.samefile(file.place, other.place)
    return os.path.normcase(file.place) == os.path.normcase(other.place)


def report_file(output: str | os.PathLike[str]) -> ReportFile:
    """Find out where a report will be written.

    Raises
    ------
    IncompleteError
        When there is no such folder, or it cannot be written to.
    UsageError
        When something would be lost that is not a report, or the name is that of an image or of a file of labelguard's own.
    """
    name = os.fspath(output)
    place = os.path.realpath(name)
    if _is_device(name):
        if not _STREAM.fullmatch(name) and not os.access(name, os.W_OK):
            raise IncompleteError(f"The report cannot be written to '{name}': permission denied.")
        return ReportFile(name)
    for path in (name, place):
        base = os.path.basename(path)
        suffix = os.path.splitext(base)[1].lower()
        if suffix in MASK_SUFFIXES:
            raise UsageError(f"'{name}' is the name of an image ({suffix}), and a report is none; choose another name.")
        if base in _OURS or base.startswith(OWN_PREFIX):
            raise UsageError(f"'{name}' is a name that labelguard gives to another file of its own ('{base}'); choose another.")
    if not _may_be_replaced(place):
        raise UsageError(f"'{name}' is not a report of labelguard; remove it or choose another name.")
    return ReportFile(name, place, writable_folder("The report", name, place))


def _may_be_replaced(place: str) -> bool:
    """Whether nothing is lost if a report takes this place: nothing lies there, or an empty file, or a report; never a link."""
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return False
        with open(place, "rb", opener=_unblocked) as file:
            return os.fstat(file.fileno()).st_size == 0 or is_a_report(file)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _unblocked(path: str, flags: int) -> int:
    """Open a file without waiting, should it have become a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _is_device(name: str) -> bool:
    """Whether a name is that of something that is written to as it stands: an open stream, a device or a pipe; not what lies in /dev."""
    if _STREAM.fullmatch(name):
        return True
    with suppress(OSError):
        mode = os.stat(name).st_mode
        return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)
    return os.path.normcase(name) == os.path.normcase(os.devnull)


def _opened_device(name: str) -> TextIO:
    """A device or pipe, opened so that nothing is cut short: a stream of the process goes on where it stands."""
    if _STREAM.fullmatch(name):
        number = {"stdout": 1, "stderr": 2}.get(last := name.rpartition("/")[2])
        return open(os.dup(int(last) if number is None else number), "w", encoding="utf-8")
    file = open(name, "w", encoding="utf-8", opener=lambda path, _: os.open(path, os.O_WRONLY))  # noqa: SIM115
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISREG(mode):
        file.close()
        raise OSError(errno.EEXIST, "a file has been put there meanwhile")
    return file

"""The last words on what nobody foresaw: what happened, that no source was touched, and what to report."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from collections.abc import Iterator

from labelguard._version import __version__
from labelguard.cli.printing import remark
from labelguard.report.exit_codes import INCOMPLETE
from labelguard.text import shell_command

_LAST_FRAMES = 4


def report_unforeseen(problem: BaseException) -> int:
    """Say on standard error what went wrong, and give the exit code; ``LABELGUARD_DEBUG=1`` adds the whole traceback."""
    lines = [*_lines(problem)]
    if os.environ.get("LABELGUARD_DEBUG"):
        lines += "".join(traceback.format_exception(problem)).splitlines()
    remark(*lines)
    return INCOMPLETE


def _lines(problem: BaseException) -> Iterator[str]:
    notes = " ".join(["", *getattr(problem, "__notes__", ())])
    if isinstance(problem, MemoryError):
        yield f"Memory ran out.{notes} No source was changed. Less is needed with --jobs 1, or with a smaller --max-memory."
        return
    yield f"Stopped by an error that is labelguard's own.{notes} No source was changed: sources are only ever read."
    yield "Please report it with these lines; LABELGUARD_DEBUG=1 shows more of them:"
    yield f"  labelguard {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield f"  {shell_command(['labelguard', *sys.argv[1:]])}"
    for frame in traceback.extract_tb(problem.__traceback__)[-_LAST_FRAMES:]:
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    yield f"  {type(problem).__name__}: {problem}"

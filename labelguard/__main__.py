"""The way in: `labelguard`, and `python -m labelguard`. Nothing is imported before signals are caught."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from labelguard.cli.interruption import catch_signals, leave_with, say_interrupted, was_interrupted
from labelguard.report.exit_codes import INTERRUPTED


def main() -> int:
    """Run the command that the arguments name, whatever happens, and give its exit code."""
    catch_signals()
    try:
        _open_standard_streams()
        code = _run()
    except SystemExit:
        raise
    except BaseException as problem:
        if was_interrupted() or isinstance(problem, KeyboardInterrupt):
            say_interrupted()
            return leave_with(INTERRUPTED)
        from labelguard.cli.unforeseen import report_unforeseen
        return leave_with(report_unforeseen(problem))
    return leave_with(code)


def _run() -> int:
    import click

    from labelguard.cli.commands import main as commands
    from labelguard.cli.printing import warnings_as_remarks
    try:
        with warnings_as_remarks():
            return commands.main(prog_name="labelguard", standalone_mode=False) or 0
    except click.ClickException as problem:
        with suppress(OSError):  # of standard error
            problem.show()
        return problem.exit_code


def _open_standard_streams() -> None:
    """Let no file that is opened later become standard output because that was closed, and let remarks go nowhere rather than fail."""
    while (unused := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(unused)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


if __name__ == "__main__":
    sys.exit(main())

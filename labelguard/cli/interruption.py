"""What a signal does: the first one ends the work, and what is known is reported; a second one ends the process at once.

Until signals are caught, each import is a moment at which one kills: there are few.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

from labelguard.report.exit_codes import INTERRUPTED

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Interruption(KeyboardInterrupt):
    """A signal has come. Python takes a plain `KeyboardInterrupt` that leaves an `exec`, as within `dataclass`, for unhandled even where
    it is handled later, and then dies by SIGINT instead of giving our exit code."""


class _State:
    """Of this process, which is why there is one."""

    signal_name = ""         # of the first signal that came
    said = False
    code: int | None = None  # the exit code, once everything is done


_state = _State()


def catch_signals() -> None:
    """From now on signals interrupt: `Interruption` in the main thread. Those that are ignored, as under nohup, stay so."""
    for name in _SIGNALS:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)
            atexit.register(signal.signal, number, signal.SIG_IGN)  # Python then puts back what would kill it while it tidies up
    sys.unraisablehook = _on_unraisable


def _on_signal(number: int, _frame: object) -> None:
    if _state.code is not None:  # nothing is left to do but to leave
        os._exit(_state.code)
    if _state.signal_name:
        os.write(2, b"\n" + _sentence().encode() + b"\n")  # not by sys.stderr, which may be in the middle of a line
        os._exit(INTERRUPTED)
    _state.signal_name = signal.Signals(number).name
    raise Interruption


def _on_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """An interruption that came up where nothing can be raised is not lost, but taken up by `check_interrupted`."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def check_interrupted() -> None:
    """Raise `Interruption` if a signal has come, even where a library swallowed the first one."""
    if was_interrupted():
        raise Interruption


def was_interrupted() -> bool:
    """Whether a signal has come."""
    return bool(_state.signal_name)


def say_interrupted() -> None:
    """Say so on standard error, once."""
    if not _state.said:
        _state.said = True
        from labelguard.cli.printing import remark
        remark(_sentence().removeprefix("labelguard: "))


def _sentence() -> str:
    by = f" by {_state.signal_name}" if _state.signal_name not in ("", "SIGINT") else ""
    return f"labelguard: interrupted{by}."


def leave_with(code: int) -> int:
    """Everything is done: a signal that comes now ends the process with this exit code."""
    _state.code = code
    return code

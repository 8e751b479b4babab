"""The keeper: nothing that a loss starts outlives its worker, and no worker outlives its supervisor.

On Linux the worker is split in two at its start. The keeper, which runs nothing of the user's, waits for the other half and ends as it
ended. It is the "subreaper" (prctl(2)) of all that the loss starts, so that none of it gets away, in whatever session and environment.
The half that works is killed by the kernel should the keeper go first.

Elsewhere a thread ends the process group once the supervisor is gone. What remains there: children in a session of their own, and a worker
whose loss keeps the interpreter's lock, which leaves only when it gives the lock away.
"""

import contextlib
import faulthandler
import os
import select
import signal
import sys
import threading
import time

_DEATH_SIGNAL, _SUBREAPER = 1, 36   # PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of linux/prctl.h
_GRACE = 1.0                        # seconds in which a worker may leave by itself once it is hung up on


def split():
    """Begin to be looked after; returns in the process that does the work."""
    supervisor, keeper = os.getppid(), os.getpid()
    if not _prctl(_SUBREAPER, 1):
        threading.Thread(target=_leave_with, args=(supervisor,), daemon=True).start()
        return
    worker = os.fork()
    if worker:
        os._exit(_Keeper(worker, supervisor).wait())
    _prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")  # should memory run out all the same, the kernel ends the worker first


def _prctl(option, value):
    """Whether the system granted an option of prctl(2)."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes
        return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        return False


class _Keeper:
    """Waits for a worker, ends what it leaves behind, and ends as it did."""

    def __init__(self, worker, supervisor):
        self._worker, self._supervisor, self._status = worker, supervisor, None
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        nothing = os.open(os.devnull, os.O_RDWR)  # the line and standard error are the worker's: they end with it
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)

    def wait(self):
        """Wait for the end; the exit code, where it was no signal."""
        waiting = select.poll()
        waiting.register(self._woken, select.POLLIN)
        waiting.register(0, 0)  # tells only of the end of the supervisor, who never closes this pipe before
        told, leave_at = set(), float("inf")
        while self._status is None and signal.SIGTERM not in told and os.getppid() == self._supervisor and time.monotonic() < leave_at:
            for descriptor, _ in waiting.poll(100 if leave_at < float("inf") else 1000):
                if descriptor == self._woken:
                    told.update(os.read(self._woken, 64))
                else:
                    waiting.unregister(0)
                    leave_at = time.monotonic() + _GRACE
            self._reap(os.WNOHANG)
        self._end_all()
        if os.WIFSIGNALED(self._status):
            self._die_of(os.WTERMSIG(self._status))
        return os.WEXITSTATUS(self._status)

    def _reap(self, options):
        """Bury children that have ended; whether there is one left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                child, status = os.waitpid(-1, options)
                if child == self._worker:
                    self._status = status
                if child == 0 or options == 0:
                    return True
        return False

    def _end_all(self):
        """End the worker and everything that it has started: what loses its parent becomes a child of this process."""
        alive = True
        while alive:
            for child in _descendants():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            alive = self._reap(0)

    @staticmethod
    def _die_of(number):
        import resource
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _descendants():
    """The processes below this one."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open("/proc/{}/stat".format(name), "rb") as stat:
            parents[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
    found, level = [], {os.getpid()}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found += level
    return found


def _leave_with(supervisor):
    """Leave as soon as the supervisor is gone, whatever is under way, with the process group."""
    while os.getppid() == supervisor:
        time.sleep(1)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)

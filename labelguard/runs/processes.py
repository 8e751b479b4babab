"""Worker processes, joblib's way: they hear of no interruption, since each would print its traceback, and end with this process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from threading import Thread

from joblib.externals.loky import ProcessPoolExecutor

_CHECK_EVERY = 0.5  # seconds


@contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """An executor of our own: the reusable one belongs to whoever else uses joblib in this process."""
    with _signals_held():
        executor = ProcessPoolExecutor(jobs, initializer=_end_with, initargs=(os.getpid(),))
        if os.name == "posix":
            resource_tracker.ensure_running()  # as loky would when it starts a worker
    with executor:
        with _signals_held():  # again, since who starts a tracker unblocks them afterwards
            executor.submit(int)  # starts the workers
        yield executor


@contextmanager
def _signals_held() -> Iterator[None]:
    """Processes that are started now keep these signals blocked; those that come to this one are delivered afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with(parent: int) -> None:
    """Begin to watch the process that started this worker; loky's workers would outlive it and wait for ever."""
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_CHECK_EVERY)
        os._exit(1)

    Thread(target=watch, name="labelguard-parent", daemon=True).start()

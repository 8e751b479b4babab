"""Run work over many files: a stream of results in the order of the files, whatever the number of workers."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, Literal, Protocol, TypeVar, get_args

from labelguard.errors import IncompleteError
from labelguard.files.memory import DEFAULT_BYTES, MemoryBudget
from labelguard.kernels.opencv import one_thread
from labelguard.spec.argument_checks import choice, positive_number, whole_number

Backend = Literal["threading", "loky"]

_BATCH = 32  # files handed to a worker at a time
_AHEAD = 4   # batches for each worker that may be under way or wait for their turn in the report


Result = TypeVar("Result", covariant=True)


class Task(Protocol[Result]):
    """The work on one file; picklable where it is to go to other processes."""

    def __call__(self, *item: Any, **_: Any) -> Result:
        """Work on one file: its path, its name, and whatever else stands beside them."""

    def failed(self, name: str, problem: str) -> Result:
        """The result for a file that made the work fail."""


class AtOnce(Protocol[Result]):
    """The work on several files in one go; picklable where it is to go to other processes."""

    def __call__(self, items: Sequence[tuple[str, ...]], most_bytes: int, /) -> Sequence[Result | None]:
        """Work on some files; None for each that has to be worked on alone."""


def default_jobs() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_jobs(jobs: object, backend: object) -> int | None:
    """The number of workers that was asked for, None for the default.

    Raises
    ------
    UsageError
        When it is not a positive whole number, or there is no such backend.
    """
    choice("backend", backend, get_args(Backend))
    return None if jobs is None else whole_number("jobs", jobs, least=1)


def checked_memory(max_memory: object) -> int:
    """The memory that was asked for, in bytes.

    Raises
    ------
    UsageError
        When it is not a positive number.
    """
    return int(positive_number("max_memory", max_memory, "bytes"))


def stream(work: Task[Result], files: Sequence[tuple[str, ...]], jobs: int | None = None,
           backend: Backend = "threading", max_memory: int = DEFAULT_BYTES, at_once: AtOnce[Result] | None = None) -> Iterator[Result]:
    """The result for each file, in order, holding only a few results at a time.

    Parameters
    ----------
    work
        What is done with each file.
    files
        The files, each as path, name and whatever else the work needs.
    jobs
        Number of workers; by default as many as there are processors.
    backend
        Threads by default, since reading and kernels release the interpreter lock; ``"loky"`` for processes, joblib's way.
    max_memory
        Bytes that all workers may take together for the files at hand; see `labelguard.files.memory`.
    at_once
        The same work on several files in one go, as far as that can be done: given the files and the bytes that may be taken for each,
        it gives a result or None for each. What it leaves, `work` does.
    """
    jobs = min(jobs or default_jobs(), max(1, len(files)))
    size = max(1, min(_BATCH, len(files) // (4 * jobs)))
    budget = MemoryBudget(max_memory, jobs)
    batches = (files[start:start + size] for start in range(0, len(files), size))
    if jobs == 1:
        for batch in batches:
            yield from _work_on(work, batch, budget, at_once=at_once)
        return
    stopped = Event() if backend == "threading" else None  # which does not go to other processes
    with _executor(jobs, backend) as executor:
        waiting: deque[Future[list[Result]]] = deque()
        try:
            for batch in batches:
                waiting.append(executor.submit(_work_on, work, batch, budget, stopped, at_once))
                if len(waiting) == _AHEAD * jobs:  # joblib.Parallel would run on while nobody takes the results
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            if stopped is not None:
                stopped.set()  # who interrupts does not wait for the rest of a batch
            for future in waiting:
                future.cancel()


@contextmanager
def _executor(jobs: int, backend: Backend) -> Iterator[Executor]:
    if backend == "threading":
        with ThreadPoolExecutor(jobs, "labelguard") as threads:
            yield threads
        return
    from labelguard.runs.processes import processes
    with processes(jobs) as executor:
        yield executor


def _work_on(work: Task[Result], batch: Sequence[tuple[str, ...]], budget: MemoryBudget, stopped: Event | None = None,
             at_once: AtOnce[Result] | None = None) -> list[Result]:
    if stopped is not None and stopped.is_set():
        return []  # before a call begins that nothing can end
    with one_thread():
        results = _at_once(at_once, batch, budget.allowance)
        return [budget.run(guarded, work, *item) if result is None else result for item, result in zip(batch, results, strict=True)
                if stopped is None or not stopped.is_set()]


def _at_once(work: AtOnce[Result] | None, batch: Sequence[tuple[str, ...]], most_bytes: int) -> Sequence[Result | None]:
    """The results of a batch, as far as they can be had in one go; where that fails, each file is looked at alone, which tells why."""
    try:
        return [None] * len(batch) if work is None else work(batch, most_bytes)
    except IncompleteError:
        raise  # as for one file
    except Exception:
        return [None] * len(batch)


def guarded(work: Task[Result], path: str, name: str, *more: str) -> Result:
    """Do the work on one file; no file ends a run: what nobody foresaw becomes that file's problem."""
    try:
        return work(path, name, *more)
    except IncompleteError:
        raise  # a full disk is not the fault of the file
    except MemoryError:
        return work.failed(name, "needs more memory than there is; one worker (--jobs 1) leaves more for each file")
    except Exception as surprise:
        if isinstance(surprise.__cause__ or surprise.__context__, KeyboardInterrupt):  # within compiled code it becomes a SystemError
            raise KeyboardInterrupt from None
        return work.failed(name, f"made labelguard fail with {type(surprise).__name__}: {surprise}; please report this")

"""Run work over many files: a stream of reports in the order of the files, whatever the number of workers."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from labelguard.errors import IncompleteError
from labelguard.facts.crops import CropFacts
from labelguard.facts.image import ImageFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding
from labelguard.kernels.opencv import one_thread
from labelguard.pairing.alignment import PairEvidence

Backend = Literal["threading", "loky"]

_BATCH = 32  # files handed to a worker at a time
_AHEAD = 4   # batches for each worker that may be under way or wait for their turn in the report


@dataclass(frozen=True, slots=True, eq=False)
class FileResult:
    """What was found in one file; no pixels.

    Parameters
    ----------
    path
        The file, relative to the scanned root.
    facts
        None where the file could not be read.
    findings
        What the checks on single masks found.
    problem
        Why the file could not be read, in words; None where it could.
    image
        The facts of the image that belongs to it, where there is one and it could be read.
    image_problem
        Why that image could not be read, in words.
    crops
        What random crops of the mask hold, where that was asked.
    alignment
        Whether the edges of the mask and of its image lie in the same places, where that was looked at.
    """

    path: str
    facts: MaskFacts | None
    findings: tuple[Finding, ...] = ()
    problem: str | None = None
    image: ImageFacts | None = None
    image_problem: str | None = None
    crops: CropFacts | None = None
    alignment: PairEvidence | None = None


Task = Callable[..., FileResult]


def default_jobs() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def stream(work: Task, files: Sequence[tuple[str, ...]], jobs: int | None = None, backend: Backend = "threading") -> Iterator[FileResult]:
    """FileResult on each file, in order, holding only a few reports at a time.

    Parameters
    ----------
    work
        Called with path and name of each file, and with whatever else stands beside them; picklable where `backend` is ``"loky"``.
    files
        The files, each as path, name and whatever else the work needs.
    jobs
        Number of workers; by default as many as there are processors.
    backend
        Threads by default, since reading and kernels release the interpreter lock; ``"loky"`` for processes, joblib's way.
    """
    jobs = min(jobs or default_jobs(), max(1, len(files)))
    size = max(1, min(_BATCH, len(files) // (4 * jobs)))
    batches = (files[start:start + size] for start in range(0, len(files), size))
    if jobs == 1:
        for batch in batches:
            yield from _work_on(work, batch)
        return
    with _executor(jobs, backend) as executor:
        waiting: deque[Future[list[FileResult]]] = deque()
        try:
            for batch in batches:
                waiting.append(executor.submit(_work_on, work, batch))
                if len(waiting) == _AHEAD * jobs:  # joblib.Parallel would run on while nobody takes the results
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def _executor(jobs: int, backend: Backend) -> Iterator[Executor]:
    if backend == "threading":
        with ThreadPoolExecutor(jobs, "labelguard") as threads:
            yield threads
        return
    from joblib.externals.loky import ProcessPoolExecutor
    with ProcessPoolExecutor(jobs) as processes:  # our own: the reusable one belongs to whoever else uses joblib in this process
        yield processes


def _work_on(work: Task, batch: Sequence[tuple[str, ...]]) -> list[FileResult]:
    with one_thread():
        return [guarded(work, *item) for item in batch]


def guarded(work: Task, path: str, name: str, *more: str) -> FileResult:
    """Do the work on one file; no file ends a run: what nobody foresaw becomes that file's problem."""
    try:
        return work(path, name, *more)
    except IncompleteError:
        raise  # a full disk is no fault of the file
    except Exception as surprise:
        return FileResult(name, None, problem=f"made labelguard fail with {type(surprise).__name__}: {surprise}; please report this")

"""MemoryBudget: how much memory the workers of a run may take together for what they read.

Whoever is about to allocate for a file says so with `take`, before it does: the bytes that it reads, the samples that it decodes, what it
needs beside them. Nothing is handed through for that; `take` finds the budget of the worker that calls it. It gives up in two ways, and
callers have to know of neither: where a file needs more than there is in all, `UnreadableMaskError` says how much, and which option
allows it; where others hold the memory just now, the work on the file begins again once they have given it back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from math import ceil, inf
from typing import Any, TypeVar

from labelguard.errors import UnreadableMaskError

DEFAULT_BYTES = 10 ** 9
"""What a run may take unless it is told otherwise."""

_SMALL = 64  # each worker has this part of the budget for its own, and asks nobody for it: nearly all masks are smaller

_Result = TypeVar("_Result")


class _Short(BaseException):
    """Others hold the memory that the work on a file needs, `args[0]` bytes in all. No handler of faults may catch it."""


class _Share(threading.local):
    """What the file takes that this thread works on, and what the thread may take without asking."""

    budget: MemoryBudget | None = None
    taken: int = 0
    granted: float = inf


_share = _Share()


def take(size: int) -> None:
    """Say that `size` bytes are about to be allocated for the file at hand; outside of a run, nothing is counted.

    A decoder calls it after `limits.check_size` and before it allocates, once for all that lies in memory at one time::

        take(check_size((height, width), sample_bytes) + len(tables))

    Parameters
    ----------
    size
        Bytes of the result and of what is needed beside it until it is there. They count until the work on the file ends, or `keep` says
        what is left.

    Raises
    ------
    UnreadableMaskError
        When the file needs more than one file may have.
    """
    _share.taken += size
    if _share.taken > _share.granted and _share.budget is not None:
        _share.budget.grow(_share)


def keep(size: int) -> None:
    """Say that of all that was taken for the file at hand, only `size` bytes are still needed."""
    _share.taken = size


class MemoryBudget:
    """The memory that the workers of a run share.

    Large files wait for each other. A worker that waits holds nothing, so that no two can wait for each other forever: the work on its
    file begins again when all that it is known to need is free.

    Parameters
    ----------
    total
        Bytes.
    workers
        How many threads share them. Where it is pickled, for a process that works alone, each process gets its part.
    """

    def __init__(self, total: int = DEFAULT_BYTES, workers: int = 1) -> None:
        self.total, self.workers = total, workers
        self.allowance = total // max(_SMALL, 4 * workers)
        self.largest = total - (workers - 1) * self.allowance
        self._free = total - workers * self.allowance
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    def __reduce__(self) -> tuple[type[MemoryBudget], tuple[int]]:
        return MemoryBudget, (self.total // self.workers,)

    def run(self, work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Do the work on one file, which must bear to be begun again."""
        needed = 0
        _share.budget, _share.taken, _share.granted = self, 0, self.allowance
        try:
            while True:
                if needed:
                    self._wait_for(needed)
                try:
                    return work(*arguments)
                except _Short as short:
                    needed = short.args[0]  # what the work has allocated is freed as soon as this block is left
                self._release()
        finally:
            self._release()
            _share.budget, _share.granted = None, inf

    def grow(self, share: _Share) -> None:
        """Let a worker have what it has taken, if it is free."""
        if share.taken > self.largest:
            enough = ceil(share.taken / self.largest * self.total / 1e8) / 10
            raise UnreadableMaskError(f"takes {share.taken / 1e9:.2f} GB of memory or more, and there are {self.largest / 1e9:.2f} GB for "
                                      f"one file; --max-memory {enough:g} (max_memory, in bytes) allows that much")
        with self._changed:
            more = int(share.taken - share.granted)
            if more <= self._free and not self._waiting:
                self._free -= more
                share.granted += more
                return
        raise _Short(share.taken)

    def _wait_for(self, size: int) -> None:
        """Wait in line until so much is free, and take hold of it."""
        more, place = size - self.allowance, object()
        with self._changed:
            self._waiting.append(place)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is place and more <= self._free)
                self._free -= more
                _share.granted = size
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()

    def _release(self) -> None:
        if _share.granted > self.allowance:
            with self._changed:
                self._free += int(_share.granted) - self.allowance
                self._changed.notify_all()
        _share.taken, _share.granted = 0, self.allowance

"""Patience: how long a pass may take, by how long the passes before it took."""

from __future__ import annotations

import statistics
from collections.abc import Hashable

from labelguard.lossprobe.supervisor.outcome import REGIMES

_TIMES = 20          # a pass may take this many times the median of the passes before it
_FIRST_PASSES = 6    # the first ones may take this many times longer: contexts are created, kernels are chosen or compiled
_REMEMBERED = 31     # passes; an odd number, so that the median is one of them


class Patience:
    """The time limit of the passes of one loss.

    Parameters
    ----------
    timeout
        Seconds that a pass may always take.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._seconds: list[float] = []
        self._seen: set[Hashable] = set()   # kinds of batches that this worker has had
        self._slowest_first = 0.0

    def limit(self, kind: Hashable) -> float:
        """Seconds for the next pass; a loss that is compiled in its first pass may be compiled again for each `kind` of batch."""
        limit = max(self._timeout, _TIMES * statistics.median(self._seconds)) if self._seconds else self._timeout
        if len(self._seconds) < len(REGIMES):
            return limit * _FIRST_PASSES
        return limit if kind in self._seen else max(limit, _FIRST_PASSES * self._slowest_first)

    def took(self, kind: Hashable, seconds: float) -> None:
        """Take note of a pass."""
        self._seconds = [*self._seconds, seconds][-_REMEMBERED:]
        if kind not in self._seen:
            self._seen.add(kind)
            self._slowest_first = max(self._slowest_first, seconds)

    def begin_again(self) -> None:
        """A new worker has compiled nothing yet."""
        self._seen.clear()

"""How much of its findings the text of a report shows: a page of the worst, or everything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Limits(NamedTuple):
    """How much is shown.

    Parameters
    ----------
    lines
        After which a code gets one line.
    of_set
        Findings about the set for each code.
    files
        Files for each code, and for each finding about the set.
    evidence
        Lines of evidence for each finding.
    only_failing
        Whether nothing is shown but the findings that make the command fail.
    set_aside
        Whether findings that are accepted or known are shown too.
    """

    lines: int = 100
    of_set: int = 5
    files: int = 5
    evidence: int = 10
    only_failing: bool = False
    set_aside: bool = False


NORMAL = Limits()
QUIET = Limits(only_failing=True)
VERBOSE = Limits(sys.maxsize, sys.maxsize, sys.maxsize, sys.maxsize, set_aside=True)


_limits: ContextVar[Limits] = ContextVar("limits", default=NORMAL)


def limits() -> Limits:
    """How much is shown now."""
    return _limits.get()


@contextmanager
def limited_to(wanted: Limits) -> Iterator[None]:
    """Show another amount."""
    before = _limits.set(wanted)
    try:
        yield
    finally:
        _limits.reset(before)

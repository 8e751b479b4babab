"""Progress: how far work has come."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """One step of work that a person may be watching.

    Parameters
    ----------
    what
        What is under way, such as ``scanning``.
    done, total
        How many steps are done, and how many there are.
    path
        The file that was worked on last; empty where a step is not a file.
    unreadable
        How many files could not be read up to now.
    """

    what: str
    done: int
    total: int
    path: str = ""
    unreadable: int = 0

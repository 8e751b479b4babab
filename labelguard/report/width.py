"""How wide the text of a report is: the same everywhere, but on a terminal that is narrower."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WIDTH = 110  # characters

_width: ContextVar[int] = ContextVar("width", default=WIDTH)


def width() -> int:
    """The number of characters after which lines of text are wrapped."""
    return _width.get()


@contextmanager
def wrapped_at(columns: int) -> Iterator[None]:
    """Wrap the lines of reports at another width."""
    before = _width.set(columns)
    try:
        yield
    finally:
        _width.reset(before)

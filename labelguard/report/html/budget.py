"""Budget: how much of what was found fits into a page that any browser opens at once."""

from __future__ import annotations

from html import escape

from labelguard.text import printable

_MARKUP = 320  # bytes of tags around a row, and more


class Budget:
    """Bytes that a part of a page may take.

    Parameters
    ----------
    left
        In bytes.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def takes(self, *texts: str, bytes_: int = _MARKUP) -> bool:
        """Whether some texts, as they will stand in the page with so many bytes around them, still fit; if so, they are counted."""
        needed = bytes_ + sum(len(escape(printable(text)).encode()) for text in texts)
        if needed > self.left:
            return False
        self.left -= needed
        return True

"""ReceiptFacts: how the files of a folder compare with the receipt in it."""

from __future__ import annotations

from typing import NamedTuple


class ReceiptFacts(NamedTuple):
    """How the files of a folder compare with what its receipt records; empty where there is none.

    Parameters
    ----------
    changed
        Files with other content than was recorded.
    missing, added
        Files that the receipt names and that are not there, and files that it does not name, sorted; empty as long as not all files were
        looked at.
    """

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

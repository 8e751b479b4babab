"""Absence: classes without which a loss fails."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Absence:
    """Without what a loss fails.

    Parameters
    ----------
    classes
        The classes.
    together
        Whether all of them have to be absent; otherwise one of them is enough.
    from_batch
        Whether from all masks of a batch; otherwise from one of them.
    """

    classes: tuple[int, ...]
    together: bool = False
    from_batch: bool = False

    def concerns(self, ids: Collection[int]) -> bool:
        """Whether a mask, or a batch, with these ids lacks what the loss needs."""
        lacks = [label not in ids for label in self.classes]
        return all(lacks) if self.together else any(lacks)

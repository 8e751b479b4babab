"""Cause: the smallest thing that makes a batch fail, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.ddmin import Box
from labelguard.lossprobe.search.neutral_masks import Pixel
from labelguard.lossprobe.supervisor.outcome import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """Why a batch fails.

    Parameters
    ----------
    level
        From the narrowest to the widest. ``pixel``: one pixel in neutral masks fails in the same way. ``ids``: all pixels of some ids of a
        mask are needed. ``region``: a rectangle of a mask is. ``mask``: all of it is. ``absent-class``: the masks pass once a class
        that they lack is planted. ``mask-set``: these masks fail together, and none of them alone. ``batch``: nothing narrower was found
        before the search had to stop. ``shape``: neutral masks of this shape fail too. ``unstable``: the same batch sometimes fails and
        sometimes passes.
    outcome
        The outcome of the smallest case.
    minimal
        That case, (N, H, W): neutral masks except for what is at fault.
    masks
        The indices of the masks at fault in the batch.
    ids
        The ids at fault in them.
    pixel
        At the level ``pixel``: the first one, as (sample, row, column).
    box
        The rectangle around everything that is at fault in one mask.
    absence
        At the level ``absent-class``: the classes that are missing.
    evidence
        What was seen, one sentence each.
    repeats
        How often the smallest case failed, and how often it was run; for an unstable failure, the batch itself, with its first run.
    runs, deaths
        What the search cost: runs, and workers lost in them.
    mentions_neutral_masks
        Whether the evidence speaks of neutral masks.
    """

    level: str
    outcome: Outcome
    minimal: NDArray[np.int64]
    masks: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    pixel: Pixel | None = None
    box: Box | None = None
    absence: Absence | None = None
    evidence: tuple[str, ...] = ()
    repeats: tuple[int, int] = (1, 1)
    runs: int = 0
    deaths: int = 0
    mentions_neutral_masks: bool = False

    def seen_as(self, outcome: Outcome) -> Cause:
        """The same cause, confirmed elsewhere with another outcome."""
        return replace(self, outcome=outcome)

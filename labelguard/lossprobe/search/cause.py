"""Culprit: the smallest thing that makes a batch fail, and what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.ddmin import Box
from labelguard.lossprobe.search.neutral_masks import Pixel
from labelguard.lossprobe.supervisor.outcome import Outcome

# From the narrowest to the widest. Last come what no part of a mask is at fault for, and what no search can settle.
LEVELS = ("pixel", "ids", "region", "mask", "absent-class", "mask-set", "batch", "shape", "unstable")


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """What is at fault for a failed batch.

    Parameters
    ----------
    level
        One of `LEVELS`. ``pixel``: one pixel in neutral masks fails in the same way. ``ids``: all pixels of some ids of a mask are needed.
        ``region``: a rectangle of a mask. ``mask``: all of it. ``absent-class``: the masks pass once a class is planted that they
        lack. ``mask-set``: these masks together, none of them alone. ``batch``: nothing narrower was found before the search had to
        stop. ``shape``: neutral masks of this shape fail too. ``unstable``: the same batch fails at one time and passes at another.
    outcome
        What became of the smallest case.
    minimal
        That case, (N, H, W): neutral masks but for what is at fault.
    masks
        Where in the batch the masks at fault are.
    ids
        What is at fault in them.
    pixel
        At the level of the pixel: the first one, as (sample, row, column).
    box
        The rectangle around all that is at fault in one mask.
    absent
        The classes that have to be planted, all of them, for the batch to pass.
    alike
        Other masks of the batch that hold the same ids, or lack the same classes; they were not tried.
    evidence
        What was seen, one sentence each.
    repeats
        How often the smallest case failed, and how often it ran; for an unstable failure, the batch itself, its first run included.
    runs, deaths
        What the search cost: runs, and workers lost in them.
    complete
        False where the search had to stop before its end; a narrower culprit may well exist.
    """

    level: str
    outcome: Outcome
    minimal: NDArray[np.int64]
    masks: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    pixel: Pixel | None = None
    box: Box | None = None
    absent: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    evidence: tuple[str, ...] = ()
    repeats: tuple[int, int] = (1, 1)
    runs: int = 0
    deaths: int = 0
    complete: bool = True

    def seen_as(self, outcome: Outcome) -> Cause:
        """The same culprit, confirmed elsewhere with another outcome."""
        return replace(self, outcome=outcome)

"""Do the masks of a set lie some pixels beside what they outline?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp

import numpy as np
from numpy.typing import NDArray

from labelguard.pairing.alignment.edge_maps import REACH, Profile
from labelguard.text import count

LEAST_SHIFT = 2  # pixels; annotations are often off by one
LEAST_PAIRS = 3
_SMOOTH = 6      # pixels: half the base of a triangle; it joins the two edges of thin lines and of void borders into one
_FURTHEST_SHIFT = REACH - _SMOOTH + 1


@dataclass(frozen=True)
class Shift:
    """What the pairs say along one axis: how many pixels the masks would have to be moved, and how often chance has them agree."""

    move: int
    chance: float
    vote: str


def shift_of(profiles: Sequence[Profile], ways: tuple[str, str], share: float) -> Shift:
    """Ask all pairs along one axis.

    Each pair is asked about the move that the others call for: does its mask fit better there than where it is, and is most of that gain
    lost when it is moved the other way? The latter rules out edges that come in pairs, as those of void borders do. Where nothing is
    shifted, at most every second pair agrees: a sign test.

    Parameters
    ----------
    profiles
        One for each pair, as in `AlignmentEvidence`.
    ways
        Words for a negative and a positive move, such as ``("up", "down")``.
    share
        How much each pair counts, from 0 to 1: less than 1 where pairs resemble each other (`Scores.independent`).
    """
    triangle = np.concatenate([np.arange(1, _SMOOTH + 1), np.arange(_SMOOTH - 1, 0, -1)]) / _SMOOTH ** 2
    curves: NDArray[np.float64] = np.array([np.convolve(profile, triangle, "valid") for profile in profiles if len(profile)])
    if len(curves) < LEAST_PAIRS:
        return Shift(0, 1.0, "")
    move = int(curves.mean(axis=0).argmax()) - _FURTHEST_SHIFT
    called = (curves.sum(axis=0) - curves).argmax(axis=1)
    each = np.arange(len(curves))
    here, there, away = curves[:, _FURTHEST_SHIFT], curves[each, called], curves[each, 2 * _FURTHEST_SHIFT - called]
    agree = int(((there > here) & (away < (here + there) / 2)).sum())
    chance = _sign_test(int(agree * share), int(len(curves) * share))
    way = f"{'or more ' if abs(move) == _FURTHEST_SHIFT else ''}{ways[move > 0]}"
    return Shift(move, chance, f"{agree:,} of {count(len(curves), 'pair')} fit better when the mask is moved {count(abs(move), 'pixel')} "
                               f"{way}, and not when it is moved the other way")


def _sign_test(heads: int, trials: int) -> float:
    """Chance of at least so many heads."""
    if trials > 1000:
        return exp(-2 * max(heads - trials / 2, 0) ** 2 / trials)  # Hoeffding's bound
    ways: int = sum(comb(trials, k) for k in range(heads, trials + 1))
    return float(ways / 2 ** trials)

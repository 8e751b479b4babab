"""Do the masks of a set belong to their images? Judged for the set, since a single pair can always be a matter of chance.

No threshold is fitted to data: they are all chances, corrected for how many readings were tried, in the units of `fit_scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log, prod
from sys import float_info

import numpy as np

from labelguard.pairing.alignment.edge_maps import AlignmentEvidence
from labelguard.pairing.alignment.fit_scores import Scores, critical_score
from labelguard.pairing.alignment.misalignment import CHANCE, AlignmentVerdict, Misalignment
from labelguard.pairing.alignment.shift import LEAST_PAIRS, LEAST_SHIFT, shift_of
from labelguard.pairing.alignment.single import single_faults
from labelguard.pairing.alignment.whole import whole_fault
from labelguard.text import count

_FITS = 0.01   # chance of a mask that is said to fit its image
_READINGS = 3  # of a shift: along rows, along columns, along both


def judge_alignment(evidence: Sequence[tuple[str, AlignmentEvidence]]) -> AlignmentVerdict:
    """Judge a set of pairs.

    Parameters
    ----------
    evidence
        Name of the mask and evidence of each pair, sorted by name; pairs that are all off by one name show in this order only.
    """
    names = [name for name, _ in evidence]
    scores = Scores.of([pair for _, pair in evidence])
    pairs = int(scores.has_edges.sum())
    if pairs < LEAST_PAIRS:
        few = f"only {count(pairs, 'pair has', 'pairs have')} edges in both image and mask, and {LEAST_PAIRS} are needed"
        return AlignmentVerdict("abstains", few if evidence else "there are no pairs")
    found = whole_fault(scores, names)
    if found is not None:
        return AlignmentVerdict("faulty", found.votes[0], (found,))
    faults, wrong = single_faults(scores, names)
    fitting = int((~wrong & (scores.own_fit >= critical_score(_FITS))).sum())
    faults = [replace(fault, fitting=fitting, unclear=len(evidence) - int(wrong.sum()) - fitting) for fault in faults]
    if scores.weight_of(scores.own_fit) < critical_score(CHANCE):
        why = f"the edges of the images follow those of the masks no more than by chance, over {count(pairs, 'pair')}"
    elif scores.weight_of(scores.specific(scores.masks, scores.image_index)) < critical_score(CHANCE):
        why = f"the masks fit other images about as well as their own, over {count(pairs, 'pair')}"
    else:
        rest = [evidence[place] for place, bad in zip(scores.image_index, wrong, strict=True) if not bad]
        faults += _shifted(rest, scores.independent / len(scores))
        middle = np.median(scores.own_fit)
        why = f"a mask fits its image by {middle:.1f} times the spread of fits by chance (median of {count(pairs, 'pair')})"
        return AlignmentVerdict("faulty" if faults else "ok", why, tuple(faults))
    return AlignmentVerdict("faulty" if faults else "abstains", why, tuple(faults))


def _shifted(evidence: Sequence[tuple[str, AlignmentEvidence]], share: float) -> list[Misalignment]:
    """The fault of masks that lie beside what they outline, if they do."""
    axes = (shift_of([pair.rows for _, pair in evidence], ("up", "down"), share),
            shift_of([pair.columns for _, pair in evidence], ("to the left", "to the right"), share))
    moved = [axis for axis in axes if abs(axis.move) >= LEAST_SHIFT]
    chance = max(prod(axis.chance for axis in axes), float_info.min)
    along_both = len(moved) == len(axes) and chance * (1 - log(chance)) < CHANCE / _READINGS  # Fisher's combined test of two chances
    moves = tuple(axis.move if axis in moved and (along_both or axis.chance < CHANCE / _READINGS) else 0 for axis in axes)
    if not any(moves):
        return []
    words = (("too far up", "too far down"), ("too far left", "too far right"))
    what = " and ".join(f"{count(abs(move), 'pixel')} {way[move < 0]}" for move, way in zip(moves, words, strict=True) if move)
    votes = tuple(f"{axis.vote} (by chance: {axis.chance:.1g})" for axis, move in zip(axes, moves, strict=True) if move)
    return [Misalignment("shifted", f"about {what}", tuple(name for name, _ in evidence), True, False, votes, shift=(moves[0], moves[1]))]

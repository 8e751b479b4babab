"""On which view of their images were masks drawn: the pixels as stored, or as EXIF turns them?"""

from __future__ import annotations

from collections.abc import Sequence

from labelguard.pairing.alignment.edge_maps import AlignmentEvidence
from labelguard.pairing.alignment.fit_scores import ROOT2, Scores, critical_score
from labelguard.pairing.alignment.misalignment import CHANCE, View
from labelguard.pairing.alignment.shift import LEAST_PAIRS


def view_of(stored: Sequence[AlignmentEvidence], displayed: Sequence[AlignmentEvidence]) -> View | None:
    """Which of two views of their images masks fit.

    Parameters
    ----------
    stored, displayed
        The evidence of the same pairs, with the pixels as stored and as EXIF turns them.

    Returns
    -------
    str or None
        None where there are fewer than three pairs with edges, or where chance may have decided.
    """
    views: dict[View, Scores] = {"stored": Scores.of(stored), "displayed": Scores.of(displayed)}
    if min(int(scores.has_edges.sum()) for scores in views.values()) < LEAST_PAIRS:
        return None
    gain = (views["displayed"].own_fit - views["stored"].own_fit) / ROOT2
    weight = views["stored"].weight_of(gain)
    view: View = "displayed" if weight > 0 else "stored"
    scores, enough = views[view], critical_score(CHANCE, len(views))
    specific = scores.weight_of(scores.specific(scores.masks, scores.image_index))
    return view if abs(weight) > enough and specific > enough else None

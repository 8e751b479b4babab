"""AlignmentSet: what was seen of the pairs of a set, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from labelguard.pairing.alignment.edge_maps import AlignmentEvidence
from labelguard.pairing.alignment.fit_scores import ROOT2, Scores, critical_score
from labelguard.pairing.alignment.misalignment import CHANCE, AlignmentVerdict
from labelguard.pairing.alignment.shift import LEAST_PAIRS
from labelguard.pairing.alignment.verdict import judge_alignment

View = Literal["stored", "displayed"]


class PairEvidence(NamedTuple):
    """What one look at a pair says.

    Parameters
    ----------
    evidence
        Of the mask and the view of the image that has its size; of the pixels as stored where both views have.
    displayed
        Of the mask and the image as EXIF turns it, where that has the same size, so that sizes leave open which one was drawn on.
    """

    evidence: AlignmentEvidence
    displayed: AlignmentEvidence | None = None


@dataclass(frozen=True)
class AlignmentSet:
    """What was seen of masks beside their images.

    Parameters
    ----------
    pairs
        The evidence of each pair, by the path of the mask.
    """

    pairs: Mapping[str, PairEvidence] = field(default_factory=dict)

    @property
    def view(self) -> View | None:
        """On which view of their images those masks were drawn that fit both views by size; None where that is undetermined."""
        return self._judged[0]

    @property
    def verdict(self) -> AlignmentVerdict:
        """What is said of the set; pairs of which the view is undetermined are left out."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[View | None, AlignmentVerdict]:
        both = [(pair.evidence, pair.displayed) for pair in self.pairs.values() if pair.displayed is not None]
        view = view_of([stored for stored, _ in both], [displayed for _, displayed in both])
        seen = [(name, pair.evidence if pair.displayed is None or view == "stored" else pair.displayed)
                for name, pair in sorted(self.pairs.items()) if pair.displayed is None or view is not None]
        verdict = judge_alignment(seen) if seen else AlignmentVerdict("abstains", "no mask of exact ids has the size of its image")
        return view, verdict


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

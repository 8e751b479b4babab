"""AlignmentSet: what was seen of the pairs of a set, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from labelguard.pairing.alignment.misalignment import AlignmentVerdict, View

if TYPE_CHECKING:
    from labelguard.pairing.alignment.edge_maps import AlignmentEvidence


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
        from labelguard.pairing.alignment.verdict import judge_alignment  # which most scans have no use for
        from labelguard.pairing.alignment.view import view_of
        both = [(pair.evidence, pair.displayed) for pair in self.pairs.values() if pair.displayed is not None]
        view = view_of([stored for stored, _ in both], [displayed for _, displayed in both])
        seen = [(name, pair.evidence if pair.displayed is None or view == "stored" else pair.displayed)
                for name, pair in sorted(self.pairs.items()) if pair.displayed is None or view is not None]
        verdict = judge_alignment(seen) if seen else AlignmentVerdict("abstains", "no mask of exact ids has the size of its image")
        return view, verdict

"""Do masks belong to their images? `edge_maps.edge_evidence` looks at each pair once, `verdict.judge_alignment` at all of them.

Here are the values alone, which every scan knows; what judges is imported where there are pairs.
"""

from labelguard.pairing.alignment.misalignment import AlignmentVerdict, Misalignment, View
from labelguard.pairing.alignment.pairs import AlignmentSet, PairEvidence
from labelguard.pairing.alignment.turn import Turn

__all__ = ["AlignmentSet", "AlignmentVerdict", "Misalignment", "PairEvidence", "Turn", "View"]

"""Do masks belong to their images? `edge_evidence` looks at each pair once, `judge_alignment` at what was seen of the whole set."""

from labelguard.pairing.alignment.edge_maps import AlignmentEvidence, edge_evidence
from labelguard.pairing.alignment.misalignment import AlignmentVerdict, Misalignment
from labelguard.pairing.alignment.pairs import AlignmentSet, PairEvidence, View
from labelguard.pairing.alignment.turn import Turn
from labelguard.pairing.alignment.verdict import judge_alignment

__all__ = ["AlignmentEvidence", "AlignmentSet", "AlignmentVerdict", "Misalignment", "PairEvidence", "Turn", "View", "edge_evidence",
           "judge_alignment"]

"""Do masks belong to their images? `evidence_of` looks at each pair once, `judge` at the evidence of the set, kept in `AlignmentSet`."""

from labelguard.pairing.alignment.edge_maps import AlignmentEvidence, evidence_of
from labelguard.pairing.alignment.fault import AlignmentVerdict, Fault
from labelguard.pairing.alignment.pairs import AlignmentSet, PairEvidence, View
from labelguard.pairing.alignment.verdict import judge

__all__ = ["AlignmentEvidence", "AlignmentSet", "AlignmentVerdict", "Fault", "PairEvidence", "View", "evidence_of", "judge"]

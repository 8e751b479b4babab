"""Do masks belong to their images? `evidence_of` looks at each pair once, `judge` at the evidence of the set."""

from labelguard.alignment.evidence import AlignmentEvidence, evidence_of
from labelguard.alignment.fault import AlignmentVerdict, Fault
from labelguard.alignment.verdict import judge

__all__ = ["AlignmentEvidence", "AlignmentVerdict", "Fault", "evidence_of", "judge"]

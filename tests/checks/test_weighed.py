"""What the rules on the ids of a set have in common: they say no more than the verdict does."""

from __future__ import annotations

from labelguard.checks import uint8_wraparound
from labelguard.checks._weighed import as_weighed
from labelguard.checks.stretched_ids import rule
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import dataset, on_dataset

NEGATED = [labels * 255 for labels in drawn_set(3, void=None)]  # 0, 255 and 254: shifted by -2, or multiplied by 255
SAID = rule.finding("The ids were multiplied.", ids=(254, 255))


def test_what_another_cause_may_explain_is_said_with_a_perhaps() -> None:
    hedged = as_weighed(SAID, dataset(NEGATED, LabelSpec(3)), LabelSpec(3), "factor")
    assert hedged.message == "Perhaps the ids were multiplied." and hedged.severity is Severity.WARNING
    assert "shifted by -2" in hedged.evidence[-1]


def test_what_no_other_cause_explains_is_said_flatly() -> None:
    spec = LabelSpec(5)
    assert as_weighed(SAID, dataset([10 * labels for labels in drawn_set(5, void=None)], spec), spec, "factor") == SAID
    assert as_weighed(SAID, dataset(drawn_set(5, void=None), spec), spec, "factor") == SAID  # nothing was weighed


def test_the_evidence_reads_as_a_sentence() -> None:
    for masks, classes in ((NEGATED, 3), ([labels - 1 for labels in drawn_set(5, void=None)], 5)):
        finding, = on_dataset(uint8_wraparound, masks, LabelSpec(classes))
        line = next(line for line in finding.evidence if "as likely as the next explanation, that" in line)
        assert line.startswith("about ") and "about 1 times" not in line and not line.endswith("; ")

"""What the rules on the ids of a set have in common: they say no more than the verdict does."""

from __future__ import annotations

from labelguard.checks import stretched_ids, uint8_wraparound
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import percent
from tests.checks.recipes import drawn_set
from tests.checks.scenes import on_dataset

NEGATED = [labels * 255 for labels in drawn_set(3, void=None)]  # 0, 255 and 254: shifted by -2, or multiplied by 255


def test_what_another_cause_may_explain_is_said_with_a_perhaps() -> None:
    finding, = on_dataset(uint8_wraparound, NEGATED, LabelSpec(3))
    assert finding.severity is Severity.WARNING and "shifted by -2" in finding.message and "multiplied by 255" in finding.message


def test_what_no_other_cause_explains_is_said_flatly() -> None:
    finding, = on_dataset(stretched_ids, [10 * labels for labels in drawn_set(5, void=None)], LabelSpec(5))
    assert finding.severity is Severity.ERROR and finding.message.startswith("The ids were multiplied by 10")


def test_the_evidence_reads_as_a_sentence() -> None:
    for masks, classes in ((NEGATED, 3), ([labels - 1 for labels in drawn_set(5, void=None)], 5)):
        finding, = on_dataset(uint8_wraparound, masks, LabelSpec(classes))
        line = next(line for line in finding.evidence if "as likely as the next explanation, that" in line)
        assert line.startswith("about ") and "about 1 times" not in line and not line.endswith("; ")


def test_a_cause_that_would_have_left_the_same_ids_is_named_too() -> None:
    shifted = [labels - 1 for labels in drawn_set(2, void=None)]  # so does whoever stores 255 for the background and 0 for the object
    finding, = on_dataset(uint8_wraparound, shifted, LabelSpec(2))
    assert any(line.startswith("it may as well be that 255 is the background, and 0 the object") for line in finding.evidence)


def test_shares_are_those_of_the_files_concerned() -> None:
    masks = drawn_set(5, 24, void=None)
    finding, = on_dataset(uint8_wraparound, [masks[0] - 1, *masks[1:]], LabelSpec(5))
    there = (masks[0] == 0).mean()
    assert f"255 covers {percent(there, 1)} of all pixels there, in this file" in finding.evidence
    assert f"({percent(there, 1)} of all pixels)" in finding.message

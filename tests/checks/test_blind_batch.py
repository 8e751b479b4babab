"""LG208: batches without a valid pixel, or without foreground."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import blind_batch as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.asked import said_of
from tests.checks.scenes import Labels, mask

SPEC = LabelSpec(2, 255)
GOOD, VOID, EMPTY, NEARLY = mask("0 1 / 1 255"), mask("255 255 / 255 255"), mask("0 0 / 0 255"), mask("255 255 / 255 1")


def test_a_batch_of_one_may_be_the_last_one() -> None:
    finding, = said_of(check, [GOOD] * 96 + [VOID], SPEC, 8)
    assert finding.severity is Severity.ERROR and not finding.files and finding.ids == (255,)
    assert finding.message == ("A batch in which every pixel is ignored comes up once in 97 epochs: cross entropy and generalized "
                               "Dice are 0/0 for it.")
    assert finding.evidence == ("in which every pixel is ignored: 1 of 97 masks, 096", "share of the batches of 8 (12 per epoch): 0 %",
                                "share of the last batches, of 1 mask: 1.0 %", "expected in 100 epochs: 1")
    assert str(finding.fix) == "Leave such masks out; drop the smaller last batch (drop_last=True); or divide by at least 1 in the loss."


def test_it_is_a_warning_where_a_run_may_well_miss_it() -> None:
    finding, = said_of(check, [GOOD] * 48 + [VOID] * 2, SPEC, 2)   # 25 batches, 1 of 1,225 pairs: once in 49 epochs
    assert finding.severity is Severity.ERROR and "drop_last" not in str(finding.fix)
    finding, = said_of(check, [GOOD] * 498 + [VOID] * 2, SPEC, 2)  # once in 499
    assert finding.severity is Severity.WARNING and "once in 499 epochs" in finding.message


def test_batches_without_foreground_are_a_warning() -> None:
    finding, = said_of(check, [GOOD] * 5 + [EMPTY] * 5, SPEC, 2)
    assert finding.severity is Severity.WARNING and finding.ids == (0, 255)
    assert finding.evidence[0] == "without foreground: 5 of 10 masks, such as 005, 006 and 007"
    assert finding.message.startswith("A batch without foreground comes up 1.1 times an epoch: Dice losses without a channel")


def test_both_are_said_where_both_come_up() -> None:
    first, second = said_of(check, [GOOD, EMPTY, VOID], SPEC, 1)
    assert (first.severity, second.severity) == (Severity.ERROR, Severity.WARNING)
    assert first.evidence[0].endswith("1 of 3 masks, 002") and second.evidence[0].endswith("2 of 3 masks, 001 and 002")


def test_crops_of_good_masks_may_be_blind() -> None:
    labels = np.ones((20, 20), np.uint8)
    labels[:10] = 255
    finding, = said_of(check, [labels] * 4, SPEC, 2, (5, 5))
    # 6 of 16 rows; two batches of two: 2 x (6 / 16) ^ 2
    assert "comes up once in 3.6 epochs" in finding.message and str(finding.fix).startswith("Draw another crop")
    assert finding.evidence[0] == ("in which every pixel is ignored: 38 % of random crops of 5 x 5; most in 000 (38 %), 001 (38 %) "
                                   "and 002 (38 %)")


@pytest.mark.parametrize(("masks", "spec", "batch_size", "crop"), [
    ([GOOD] * 8 + [VOID], SPEC, 3, None),                       # one cannot fill a batch of three
    ([GOOD] * 7 + [VOID] * 2, SPEC, 3, None),
    ([NEARLY] * 4, SPEC, 1, None),
    ([GOOD] * 8 + [VOID], LabelSpec(2), 1, None),               # 255 is not ignored
    ([GOOD] * 1100 + [EMPTY] * 2, SPEC, 2, None),               # once in 1,101 epochs, and not in every loss a fault
    ([EMPTY] * 4, LabelSpec(names=("road", "car"), ignore_index=255), 1, None),  # no class is the background
    ([GOOD] * 60 + [VOID] * 9, SPEC, 8, (2, 2)),                # C(9, 8) of C(69, 8), eight times: once in 100 million epochs
    ([GOOD, VOID], SPEC, None, None),
    ([], SPEC, 1, None),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec, batch_size: int | None, crop: tuple[int, int] | None) -> None:
    assert said_of(check, masks, spec, batch_size, crop) == []


@pytest.mark.parametrize(("files", "found"), [(141, [Severity.WARNING]), (144, [])])
def test_a_batch_that_a_hundred_runs_will_hardly_meet_is_not_worth_a_finding(files: int, found: list[Severity]) -> None:
    """Expected in a run of 100 epochs: 200 / ((files - 1) (files - 2)), which is 0.0103 and 0.0098."""
    findings = said_of(check, [GOOD] * (files - 3) + [VOID] * 3, SPEC, 3)
    assert [finding.severity for finding in findings] == found


@pytest.mark.parametrize(("files", "severity"), [(100, Severity.ERROR), (102, Severity.WARNING)])
def test_a_batch_that_a_run_will_meet_is_an_error(files: int, severity: Severity) -> None:
    """Expected in a run: 100 / (files - 1)."""
    finding, = said_of(check, [GOOD] * (files - 2) + [VOID] * 2, SPEC, 2)
    assert finding.severity is severity and "expected in 100 epochs: " in finding.evidence[-1]

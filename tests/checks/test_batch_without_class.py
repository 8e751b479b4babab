"""LG207: batches that lack a class."""

from __future__ import annotations

import pytest

from labelguard.checks import batch_without_class as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.asked import said_of
from tests.checks.scenes import Labels, mask, scene

BOTH, FIRST = mask("0 1 / 1 0"), mask("0 0 / 0 0")


def test_it_names_class_share_and_how_often() -> None:
    finding, = said_of(check, [BOTH] + [FIRST] * 9, LabelSpec(names=("road", "car")), 4)
    # 1 of 10 masks holds a car: two batches of 4 miss it with 6 / 10, the last of 2 with 8 / 10: two of three
    assert finding.message == "1 class is absent from some batches of 4: 1 (car) from 67 %."
    assert finding.evidence == ("1 (car): in 1 of 10 masks; a batch without it comes up 2 times an epoch",)
    assert (finding.ids, finding.severity, finding.path, len(finding.files)) == ((1,), Severity.NOTE, None, 10)


def test_classes_are_in_one_finding_the_rarest_first() -> None:
    masks = [mask("0 1 2")] + [mask("0 1 1")] * 4 + [mask("0 0 0")] * 5
    finding, = said_of(check, masks, LabelSpec(3), 2)
    assert finding.message == "2 classes are absent from some batches of 2: 2 from 80 % and 1 from 22 %."
    assert finding.ids == (1, 2) and finding.evidence[1] == "1: in 5 of 10 masks; 1.1 times an epoch"


def test_crops_hold_less_than_their_masks() -> None:
    masks = [scene([1, 1], seed=seed) for seed in range(8)]
    assert said_of(check, masks, LabelSpec(2), 2) == []
    finding, = said_of(check, masks, LabelSpec(2), 2, (16, 16))
    assert finding.ids == (1,) and finding.message.startswith("1 class is absent from some batches of 2 of random crops: 1 from ")


@pytest.mark.parametrize(("masks", "spec", "batch_size"), [
    ([BOTH] * 10, LabelSpec(2), 1),
    ([BOTH, FIRST], LabelSpec(2), 2),
    ([BOTH, FIRST, BOTH], LabelSpec(2), 3),
    ([BOTH] * 10, LabelSpec(3), 4),                       # a class that no mask holds is another check's business
    ([BOTH] * 10 + [FIRST] * 10, LabelSpec(2, 1), 2),     # an ignored id is not a class
    ([BOTH] * 60 + [FIRST] * 36, LabelSpec(2), 24),       # once in ten trillion epochs
    ([], LabelSpec(2), 4),
    ([BOTH, FIRST], LabelSpec(2), None),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec, batch_size: int | None) -> None:
    assert said_of(check, masks, spec, batch_size) == []

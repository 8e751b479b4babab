"""LG113: one split counts from 0, the other from 1."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import split_ids as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, mask
from tests.checks.splitting import between

TRAIN, VAL, TEST = drawn_set(4, 24), drawn_set(4, 12, seed=1), drawn_set(4, 9, seed=2)


def moved(masks: list[Labels], by: int) -> list[Labels]:
    return relabeled(masks, lambda label: label if label == 255 else label + by)


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(8, 255)])
def test_a_shifted_split_is_named_with_both_ways_out(spec: LabelSpec) -> None:
    finding, = between(check, {"train": TRAIN, "val": moved(VAL, 1)}, spec)
    assert finding.message == "The ids of val are those of train plus 1; which of the two follows the class list is undetermined."
    assert finding.severity is Severity.ERROR and finding.ids == (0, 4) and finding.split is None
    assert [command[:5] for command in finding.fix.commands] == [("labelguard", "remap", "val/masks", "--shift", "-1"),
                                                                ("labelguard", "remap", "train/masks", "--shift", "1")]
    assert not finding.fix.safe
    assert str(finding.fix).count("--ignore-index 255") == 2
    finding, = between(check, {"train": moved(TRAIN, 1), "val": VAL}, spec)
    assert finding.message.startswith("The ids of val are those of train minus 1;")


@pytest.mark.parametrize("odd", ["train", "val", "test"])
def test_where_two_agree_the_third_is_the_one(odd: str) -> None:
    splits = {name: moved(masks, name == odd) for name, masks in (("train", TRAIN), ("val", VAL), ("test", TEST))}
    finding, = between(check, splits)
    assert finding.split == odd and f"remap {odd}/masks --shift -1 --num-classes 4" in str(finding.fix) and "If " not in str(finding.fix)
    assert {path.split("/")[0] for path in finding.files} == {odd}


def reduced(masks: list[Labels]) -> list[Labels]:
    return relabeled(masks, lambda label: 255 if label in (0, 255) else label - 1)


@pytest.mark.parametrize("void", [None, 255])
@pytest.mark.parametrize("spec", [LabelSpec(4, 255), LabelSpec(ignore_index=255), LabelSpec()])
def test_zero_reduced_in_one_split_is_named(spec: LabelSpec, void: int | None) -> None:
    train, val = drawn_set(4, 24, void=void), reduced(drawn_set(4, 12, seed=1, void=void))
    for splits in ({"train": train, "val": val}, {"val": val, "train": train}):
        finding, = between(check, splits, spec)
        assert finding.message.startswith("The ids of val are those of train minus 1, and what is 0 in train is ignored in val;")
        assert finding.ids == (3,)
        if spec.declared:  # a background in the declared void label is a fault of its own, so nothing is printed that makes one
            assert "shift the ids of train by -1, after a look at its masks" in str(finding.fix) and not finding.fix.commands
        else:
            assert "labelguard remap train/masks --shift -1 --merge 0:255 --num-classes" in str(finding.fix)
            assert str(finding.fix).count("--ignore-index 255") == 1


@pytest.mark.parametrize(("train", "val"), [
    (TRAIN, VAL),
    (reduced(TRAIN), reduced(VAL)),
    (TRAIN, relabeled(VAL, {0: 255, 3: 2})),                                    # ignored background, and a class is missing
    (TRAIN, relabeled(VAL, {0: 255})),
    (TRAIN, moved(VAL, 1)[:1]),                                                  # one file may well lack a class
    (TRAIN, relabeled(VAL, {3: 2})),                                            # a class is missing
    (relabeled(TRAIN, {3: 2}), VAL),
    (TRAIN, moved(VAL, 4)),                                                      # other classes: nothing in common
    (TRAIN, relabeled(VAL, {0: 4})),                                            # the background counted last: no shift
    (TRAIN, []),
])
def test_it_leaves_alone(train: list[Labels], val: list[Labels]) -> None:
    assert between(check, {"train": train, "val": val}) == []


QUARTERS = mask("0 1 2 3")


@pytest.mark.parametrize(("files", "found"), [(30, 0), (32, 1)])
def test_splits_that_may_lack_ids_by_chance_are_not_called_shifted(files: int, found: int) -> None:
    """One file lacks 0, all others lack 4; the chance for both is 1 / (files + 1) ** 2."""
    assert len(between(check, {"train": [QUARTERS] * files, "val": [QUARTERS + 1]}, LabelSpec(5))) == found


@pytest.mark.parametrize(("shares", "found"), [((25, 30, 45), 1), ((19, 30, 51), 0)])
def test_a_shift_has_to_halve_how_far_the_shares_are_apart(shares: tuple[int, int, int], found: int) -> None:
    """Of 0.55 as they are, 0.25 is left once they are shifted; of 0.61, 0.31."""
    train, val = (np.repeat(np.arange(4, dtype=np.uint8), number)[None] for number in ((50, 30, 20, 0), (0, *shares)))
    assert len(between(check, {"train": [train] * 12, "val": [val] * 12}, LabelSpec(4))) == found

"""LG209: crops without a valid pixel, or without foreground."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import blind_crop as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.asked import said_of
from tests.checks.scenes import Labels, scene

SPEC = LabelSpec(2, 255)


def half(rows: int, top: int = 255, bottom: int = 1) -> Labels:
    """20 x 20, with some rows of one id above another."""
    labels = np.full((20, 20), bottom, np.uint8)
    labels[:rows] = top
    return labels


def test_it_counts_blind_positions_and_names_the_worst_masks() -> None:
    finding, = said_of(check, [half(6), half(0), half(10)], SPEC, crop=(5, 5))
    assert finding.severity is Severity.WARNING and finding.files == ("000", "002") and finding.path is None
    assert finding.message == "17 % of random crops of 5 x 5 hold nothing but ignored pixels, though their masks hold valid ones."
    assert finding.evidence == ("worst: 002 (38 %) and 000 (12 %)", "with one crop of each mask per epoch, one comes up once in 2 epochs")


def test_few_are_a_note() -> None:
    finding, = said_of(check, [half(5)] + [half(0)] * 9, SPEC, crop=(5, 5))  # 1 of 16 rows in one of ten masks
    assert finding.severity is Severity.NOTE and finding.message.startswith("0.6 % of random crops")


def test_masks_without_any_valid_pixel_are_another_matter() -> None:
    assert said_of(check, [half(20)] + [half(4)] * 9, SPEC, crop=(5, 5)) == []
    finding, = said_of(check, [half(20), half(10)], SPEC, crop=(5, 5))
    assert finding.files == ("001",) and finding.message.startswith("38 %")


def test_mostly_no_foreground_is_a_note() -> None:
    finding, = said_of(check, [half(16, 0), half(20, 0)], SPEC, crop=(5, 5))
    assert finding.severity is Severity.NOTE and finding.files == ("000",)
    assert finding.message == "75 % of random crops of 5 x 5 show no foreground, though their masks have some."
    assert finding.evidence == ("worst: 000 (75 %)",)


@pytest.mark.parametrize(("masks", "spec", "crop"), [
    ([half(10)], SPEC, (11, 11)),
    ([half(10)], SPEC, (64, 64)),                                    # larger than the mask, which then is the crop
    ([half(10)], LabelSpec(2), (5, 5)),                              # 255 is not ignored
    ([half(10, 0)], SPEC, (5, 5)),                                   # 6 of 16 are not foreground: not most
    ([half(18, 0)], LabelSpec(names=("a", "b"), ignore_index=255), (5, 5)),
    ([scene([1] * 40)] * 3, SPEC, (24, 24)),
    ([half(10)], SPEC, None),
    ([], SPEC, (5, 5)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec, crop: tuple[int, int] | None) -> None:
    assert said_of(check, masks, spec, crop=crop) == []


def pixels(shape: tuple[int, int], number: int, label: int, rest: int) -> Labels:
    """So many pixels of one id in a mask of another: the share of crops of 1 x 1 that hold it."""
    labels = np.full(shape, rest, np.uint8)
    labels.flat[:number] = label
    return labels


@pytest.mark.parametrize(("shape", "number", "severity"), [((10, 10), 1, Severity.WARNING), ((30, 40), 11, Severity.NOTE)])
def test_one_crop_in_a_hundred_is_worth_a_warning(shape: tuple[int, int], number: int, severity: Severity) -> None:
    finding, = said_of(check, [pixels(shape, number, 255, 1)] * 2, SPEC, crop=(1, 1))
    assert finding.severity is severity


@pytest.mark.parametrize(("foreground", "found"), [(50, 1), (51, 0)])
def test_half_of_the_crops_without_foreground_are_worth_a_note(foreground: int, found: int) -> None:
    assert len(said_of(check, [pixels((10, 10), foreground, 1, 0)] * 2, SPEC, crop=(1, 1))) == found


@pytest.mark.parametrize("masks", [5, 6])
def test_the_five_worst_masks_are_named(masks: int) -> None:
    finding, = said_of(check, [pixels((10, 10), 10 + number, 255, 1) for number in range(masks)], SPEC, crop=(1, 1))
    assert finding.evidence[0].count("%") == 5

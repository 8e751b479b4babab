"""LG203: a foreground of a few pixels."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import tiny_foreground as check
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, on_mask

SPEC = LabelSpec(4, 255)


def speck(pixels: int, shape: tuple[int, int] = (64, 64), background: int = 0, label: int = 3) -> Labels:
    labels = np.full(shape, background, "uint8")
    labels[10, 20:20 + pixels] = label
    return labels


def test_it_says_where_the_speck_is() -> None:
    finding, = on_mask(check, speck(3), SPEC)
    assert finding.message == "The whole foreground is 3 pixels, 0.07 % of the mask."
    assert (finding.ids, finding.pixels, finding.first, finding.box) == ((3,), 3, (10, 20), (10, 20, 11, 23))


def test_several_specks_are_one_finding() -> None:
    labels = speck(3)
    labels[40, 50] = 1
    finding, = on_mask(check, labels, SPEC)
    assert (finding.ids, finding.pixels, finding.first, finding.box) == ((1, 3), 4, (10, 20), (10, 20, 41, 51))


def test_the_limit_grows_with_the_mask() -> None:
    assert len(on_mask(check, speck(40, (1000, 1000)), SPEC)) == 1
    assert on_mask(check, speck(50, (1000, 1000)), SPEC) == []


def test_the_limit_is_ten_pixels_in_small_masks() -> None:
    assert len(on_mask(check, speck(9), SPEC)) == 1
    assert on_mask(check, speck(10), SPEC) == []


def test_the_declared_background_counts() -> None:
    spec = LabelSpec(4, 255, background=2)
    assert len(on_mask(check, speck(3, background=2), spec)) == 1
    assert on_mask(check, speck(3), spec) == []


def test_ignored_pixels_are_no_foreground() -> None:
    labels = speck(3)
    labels[40:] = 255
    finding, = on_mask(check, labels, SPEC)
    assert finding.pixels == 3


@pytest.mark.parametrize(("labels", "spec"), [
    (speck(0), SPEC),                                                    # LG201
    (speck(3, label=255), SPEC),                                         # only void
    (speck(3, (20, 30)), SPEC),                                          # a thumbnail
    (speck(3), LabelSpec(names=("sky", "road", "car", "tree"))),         # no class is background
    (speck(3, background=1), SPEC),                                      # no background in the mask
    (speck(40), SPEC),
])
def test_it_leaves_alone(labels: Labels, spec: LabelSpec) -> None:
    assert on_mask(check, labels, spec) == []


@pytest.mark.parametrize(("pixels", "found"), [(49, 1), (50, 0)])
def test_in_a_large_mask_the_limit_is_a_twenty_thousandth(pixels: int, found: int) -> None:
    assert len(on_mask(check, speck(pixels, (1000, 1000)), SPEC)) == found


@pytest.mark.parametrize(("shape", "found"), [((32, 32), 1), ((33, 31), 0)])
def test_in_fewer_than_1024_pixels_few_are_not_few(shape: tuple[int, int], found: int) -> None:
    assert len(on_mask(check, speck(3, shape), SPEC)) == found

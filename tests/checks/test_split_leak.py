"""LG406: pictures and masks that lie in two splits; and what LG404 and LG405 say of them."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import duplicate_mask, same_image_other_mask
from labelguard.checks import split_leak as check
from labelguard.facts.fingerprint import coincidence_bits
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.paired import photo, sized
from tests.checks.scenes import Labels, scene
from tests.checks.splitting import between

DRAWN = [scene([1, 2], seed=seed) for seed in range(6)]
PHOTOS = [photo(64, 64, seed=seed) for seed in range(6)]


def test_an_image_in_two_splits_is_an_error_whatever_its_name() -> None:
    splits = {"train": {"a": (DRAWN[0], PHOTOS[0]), "b": (DRAWN[1], PHOTOS[1])},
              "val": {"x": (DRAWN[0], PHOTOS[0]), "y": (DRAWN[2], PHOTOS[2])}}
    finding, = between(check, splits)
    assert (finding.severity, finding.subject, finding.files) == (Severity.ERROR, "image", ("train/a.jpg", "val/x.jpg"))
    assert finding.message == "1 image is in more than one split."
    assert finding.evidence == ("1 image of train (50 %) and 1 image of val (50 %)", "train/a.jpg and val/x.jpg are equal")
    assert between(duplicate_mask, splits) == between(same_image_other_mask, splits) == []


def test_an_image_without_a_mask_leaks_too() -> None:
    finding, = between(check, {"train": {"a": (DRAWN[0], PHOTOS[0])}, "test": {"x": (None, PHOTOS[0])}})
    assert finding.files == ("test/x.jpg", "train/a.jpg")


def test_an_image_in_two_splits_with_other_masks_is_both() -> None:
    splits = {"train": {"a": (DRAWN[0], PHOTOS[0])}, "val": {"x": (DRAWN[1], PHOTOS[0])}}
    assert [finding.code for finding in between(check, splits)] == ["LG406"]
    finding, = between(same_image_other_mask, splits)
    assert finding.files == ("train/a.png", "val/x.png") and finding.evidence == ("masks of one image: train/a.png and val/x.png",)


def test_equal_masks_without_images_are_a_warning() -> None:
    finding, = between(check, {"train": DRAWN[:3], "val": [DRAWN[4], DRAWN[1].astype(np.int32)]})
    assert (finding.severity, finding.subject, finding.files) == (Severity.WARNING, "mask", ("train/001", "val/001"))
    assert finding.message.startswith("1 mask is in more than one split, equal in every pixel")


def test_equal_masks_of_different_images_are_duplicates() -> None:
    splits = {"train": {"a": (DRAWN[0], PHOTOS[0])}, "val": {"x": (DRAWN[0], PHOTOS[1])}}
    assert between(check, splits) == []
    finding, = between(duplicate_mask, splits)
    assert finding.files == ("train/a.png", "val/x.png") and "of another split" in finding.message


def test_three_splits_are_counted_two_by_two() -> None:
    finding, = between(check, {"train": DRAWN[:3], "val": DRAWN[:2], "test": DRAWN[1:2]})
    assert finding.evidence[:3] == (
        "2 masks of train (67 %) and 2 masks of val (100 %)", "1 mask of train (33 %) and 1 mask of test (100 %)",
        "1 mask of val (50 %) and 1 mask of test (100 %)")


HALVES = np.repeat(np.array([[1], [2]], np.uint8), 32, axis=0).repeat(64, axis=1)


@pytest.mark.parametrize("plain", [np.zeros((64, 64), np.uint8), np.full((64, 64), 7, np.uint8), sized(64, 64) * 255, HALVES])
def test_masks_that_show_little_are_equal_by_nature(plain: Labels) -> None:
    assert between(check, {"train": [plain] * 3, "val": [plain] * 2}, LabelSpec(8, 255)) == []


def test_it_leaves_alone() -> None:
    black = np.zeros((64, 64, 3), np.uint8)
    assert between(check, {"train": {"a": (DRAWN[0], black)}, "val": {"x": (DRAWN[1], black)}}) == []
    assert between(check, {"train": DRAWN[:3] + DRAWN[:3], "val": DRAWN[3:]}) == []                  # copies within a split
    assert between(check, {"train": DRAWN, "test": []}) == []


def test_what_is_drawn_counts_and_where_it_could_lie() -> None:
    def of(labels: Labels) -> float:
        return coincidence_bits(MaskFacts.of_labels(labels))

    speck, disk = np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8)
    speck[5, 5] = 1
    row, column = np.ogrid[:64, :64]
    disk[(row - 30) ** 2 + (column - 30) ** 2 < 100] = 1
    assert of(np.zeros((64, 64), np.uint8)) == 0 and of(HALVES) == 6 and of(speck) == 24 and of(disk) == 24 + 2 * 19


@pytest.mark.parametrize(("copies", "more"), [(8, []), (9, ["and 1 more"])])
def test_eight_copies_are_listed(copies: int, more: list[str]) -> None:
    drawn = [scene([1, 2], seed=seed) for seed in range(copies)]
    finding, = between(check, {"train": drawn, "val": drawn})
    assert sum("are equal" in line for line in finding.evidence) == 8 and [*finding.evidence[9:]] == more

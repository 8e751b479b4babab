"""LG405: one mask, two pictures."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.checks import duplicate_mask as check
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.paired import photo, said_of, sized
from tests.checks.scenes import Labels, on_dataset

DRAWN = sized(64, 96)


def test_equal_masks_of_different_pictures_are_named() -> None:
    finding, = said_of(check, {"a": (DRAWN, photo()), "b": (DRAWN.astype(np.int32), photo(seed=1)), "c": (DRAWN * 3, photo(seed=2))})
    assert finding.files == ("a.png", "b.png") and finding.evidence == ("a.png and b.png are equal",)
    assert finding.message == "2 masks of different images are equal to another mask in every pixel."
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("trivial", [np.zeros((40, 60), np.uint8), np.full((40, 60), 7, np.uint8), sized(40, 60) * 255])
def test_masks_that_show_nothing_are_equal_by_nature(trivial: Labels) -> None:
    assert said_of(check, {str(n): (trivial, photo(seed=n)) for n in range(3)}, LabelSpec(8, 255)) == []


def test_it_leaves_alone() -> None:
    assert on_dataset(check, [DRAWN, DRAWN]) == []                                           # no images given
    assert said_of(check, {"a": (DRAWN, photo()), "b": (DRAWN, photo())}) == []              # a copy of both
    moved = np.roll(DRAWN, 5, axis=1)
    assert said_of(check, {"a": (DRAWN, photo()), "b": (moved, photo(seed=1))}) == []
    assert said_of(check, {"a": (DRAWN, photo()), "b": (DRAWN, photo(seed=1))}, pixels=False) == []


@pytest.mark.parametrize(("side", "ids", "found"), [(63, 3, False), (64, 3, True), (63, 4, True)])
def test_coarse_masks_of_few_ids_are_equal_by_chance(side: int, ids: int, found: bool) -> None:
    mask = np.arange(side * 80, dtype=np.int64).reshape(side, 80) * ids // (side * 80)
    found_here = said_of(check, {str(n): (mask.astype(np.uint8), photo(*mask.shape, seed=n)) for n in range(2)})
    assert bool(found_here) is found


@pytest.mark.parametrize("copies", [8, 9])
def test_eight_copies_are_listed(copies: int) -> None:
    couples = {f"{side}{number}": (np.roll(DRAWN, 3 * number, axis=1), photo(seed=2 * number + (side == "b")))
               for number in range(copies) for side in "ab"}
    finding, = said_of(check, couples)
    assert len(finding.files) == 2 * copies and len(finding.evidence) == 8

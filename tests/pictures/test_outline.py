"""Outlines and rings."""

from __future__ import annotations

import numpy as np
import pytest

import labelguard.pictures.outline as outlines
from labelguard.pictures.outline import outline


@pytest.mark.parametrize(("side", "rings"), [(1, 1), (7, 1), (8, 0), (100, 0)])
def test_what_is_small_gets_a_ring_what_is_large_a_line(side: int, rings: int) -> None:
    pixels, where = np.full((300, 400, 3), 9, np.uint8), np.zeros((300, 400), np.bool_)
    where[100:100 + side, 150:150 + side] = True
    assert outline(pixels, where) == rings
    assert (pixels[where] == 9).all() and (pixels[99, 150] == 255).all() and (pixels[98, 150] == 0).all()


def test_two_parts_have_two_rings_and_near_ones_share_one() -> None:
    where = np.zeros((300, 400), np.bool_)
    where[50, 50] = where[50, 55] = where[200, 300] = True
    assert outline(np.zeros((300, 400, 3), np.uint8), where) == 2


def test_there_are_not_more_rings_than_one_can_look_at() -> None:
    where = np.zeros((1000, 1000), np.bool_)
    where[20::40, 20::40] = True
    assert outline(np.zeros((1000, 1000, 3), np.uint8), where) == 24


def test_rings_are_smaller_in_small_pictures_and_cut_at_the_rim() -> None:
    pixels, where = np.full((50, 80, 3), 9, np.uint8), np.zeros((50, 80), np.bool_)
    where[0, 79] = True
    assert outline(pixels, where) == 1
    rows, columns = np.nonzero((pixels != 9).any(axis=2))
    assert rows.max() == 5 and columns.min() == 74


def test_without_opencv_the_first_pixel_has_the_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "opencv", lambda: None)
    where = np.zeros((300, 400), np.bool_)
    where[50, 50] = where[200:, 300:] = True
    assert outline(np.zeros((300, 400, 3), np.uint8), where) == 1
    assert outline(np.zeros((300, 400, 3), np.uint8), np.zeros((300, 400), np.bool_)) == 0

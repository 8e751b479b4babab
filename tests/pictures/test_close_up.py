"""The pixels around one place, each with its id."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.close_up import around, close_up, first_pixel

LABELS = np.arange(400, dtype=np.uint16).reshape(20, 20)


@pytest.mark.parametrize(("at", "top", "left"), [((10, 12), 6, 8), ((0, 0), 0, 0), ((19, 19), 11, 11), ((3, 16), 0, 11), ((4, 4), 0, 0)])
def test_as_many_pixels_are_shown_at_the_rim_as_elsewhere(at: tuple[int, int], top: int, left: int) -> None:
    row, column, window = around(LABELS, at)
    assert (row, column) == (top, left) and (window == LABELS[top:top + 9, left:left + 9]).all() and window.shape == (9, 9)


def test_a_mask_that_is_smaller_is_shown_whole() -> None:
    small = LABELS[:3, :12]
    assert around(small, (2, 11))[2].shape == (3, 9)
    assert close_up(small, at=(2, 11)).alt == "The 3 x 9 pixels around row 2, column 11 with their ids; there: 51."


def test_cells_have_the_colors_of_their_ids_and_the_text_reads_on_them() -> None:
    colors = ClassColors()
    picture = close_up(LABELS % 7, colors, at=(10, 10))
    cells = {tuple(color) for color in picture.pixels.reshape(-1, 3).tolist()}
    assert {colors.of(label) for label in range(7)} <= cells and {(0, 0, 0), (255, 255, 255)} <= cells


def test_ids_that_are_asked_about_have_a_frame() -> None:
    plain, framed = (close_up(LABELS % 7, at=(10, 10), ids=ids).pixels for ids in ((), (3,)))
    assert plain.shape == framed.shape and (plain != framed).any()
    assert (close_up(LABELS % 7, at=(10, 10), ids=(9,)).pixels == plain).all()


@pytest.mark.parametrize("largest", [9, 255, 65_535, 2 ** 32 - 1, 2 ** 63 - 1])
def test_cells_grow_with_the_ids_so_that_no_text_is_cut(largest: int) -> None:
    labels = np.full((9, 9), largest, np.int64)
    assert close_up(labels, at=(4, 4)).width >= 9 * 7 * len(str(largest))


def test_negative_ids_are_shown() -> None:
    assert close_up(np.full((9, 9), -1, np.int32), at=(0, 0)).alt.endswith("there: -1.")


@pytest.mark.parametrize("at", [(20, 0), (0, 20), (-1, 0)])
def test_a_place_outside_of_the_mask_is_an_error(at: tuple[int, int]) -> None:
    with pytest.raises(IndexError, match="there is no pixel"):
        close_up(LABELS, at=at)


def test_the_first_pixel_is_the_first_in_row_order() -> None:
    assert first_pixel(LABELS, [399, 45, 61]) == (2, 5) and first_pixel(LABELS, [0]) == (0, 0)
    assert first_pixel(LABELS, [400]) is None and first_pixel(LABELS, []) is None

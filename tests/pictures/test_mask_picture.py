"""A mask in the colors of its classes: nothing is invented, nothing small is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.mask_picture import mask_picture
from labelguard.pictures.palette import HATCH_COLOR, VOID_COLOR
from labelguard.pictures.scaling import as_photograph, shown_image, shown_labels, shown_shape
from labelguard.spec.labelspec import LabelSpec
from tests.drawn import examples

WHITE = [255, 255, 255]


def colors_in(pixels: NDArray[np.uint8]) -> set[tuple[int, ...]]:
    return set(map(tuple, pixels.reshape(-1, 3).tolist()))


@pytest.mark.parametrize(("shape", "size", "shown"), [
    ((1024, 2048), 480, (240, 480)), ((480, 240), 480, (480, 240)), ((481, 3), 480, (480, 3)), ((128, 128), 480, (384, 384)),
    ((5, 3), 480, (480, 288)), ((1, 100_000), 480, (1, 480)), ((1, 1), 1, (1, 1)),
])
def test_large_masks_are_shrunk_and_small_ones_enlarged_by_whole_factors(shape: tuple[int, int], size: int, shown: tuple[int, int]) -> None:
    assert shown_shape(shape, size) == shown


@examples(40)
@given(st.integers(0, 2 ** 32 - 1), st.integers(1, 60), st.integers(1, 60), st.integers(1, 80),
       st.sampled_from(["uint8", "uint16", "int32", "int64", "bool"]))
def test_no_color_is_invented(seed: int, height: int, width: int, size: int, dtype: str) -> None:
    ids = np.array([0, 1, 7, 200, 255]) if dtype == "uint8" else np.array([0, 1]) if dtype == "bool" else np.array([0, 3, 255, 256, 30_000])
    labels = np.random.default_rng(seed).choice(ids, (height, width)).astype(dtype)
    colors = ClassColors(LabelSpec(250))
    picture = mask_picture(labels, colors, size=size)
    assert (picture.height, picture.width) == shown_shape((height, width), size)
    assert colors_in(picture.pixels) <= colors_in(colors.table(np.unique(labels).astype(int).tolist()))


def test_each_pixel_of_a_small_mask_is_a_block_of_its_color() -> None:
    labels = np.array([[0, 1], [2, 1]], np.uint8)
    assert (mask_picture(labels, size=7).pixels == ClassColors().table(range(3))[labels].repeat(3, 0).repeat(3, 1)).all()


def test_the_largest_area_takes_a_cell_and_a_scarce_id_from_a_third_of_it_on() -> None:
    labels = np.zeros((40, 40), np.uint8)
    labels[:, 20:] = 1
    labels[::4, 4] = 2
    labels[:, 9:11] = 3
    assert shown_labels(labels, (10, 10))[5].tolist() == [0, 0, 3, 0, 0, 1, 1, 1, 1, 1]
    assert shown_labels(labels, (10, 10), kept=[2])[5].tolist() == [0, 2, 3, 0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "uint32"])
def test_a_single_outlined_pixel_of_a_large_mask_shows_and_has_a_ring(dtype: str) -> None:
    labels = np.zeros((1024, 2048), dtype)
    odd = 99 if dtype == "uint8" else 60_000
    labels[700, 1500] = odd
    plain, picture = mask_picture(labels), mask_picture(labels, outlined=[odd])
    row, column = 700 * 240 // 1024, 1500 * 480 // 2048
    assert picture.pixels[row, column].tolist() == [*ClassColors().of(odd)]
    changed = np.argwhere((plain.pixels != picture.pixels).any(axis=2))
    assert changed.min(axis=0).tolist() == [row - 13, column - 13] and changed.max(axis=0).tolist() == [row + 13, column + 13]
    assert picture.pixels[row - 11, column].tolist() == WHITE and not picture.pixels[row - 13, column].any()
    assert "60000" in picture.alt or "99" in picture.alt


def test_a_line_of_one_pixel_stays_whole_when_it_is_outlined() -> None:
    labels = np.zeros((1000, 2000), np.uint8)
    labels[np.arange(1000), np.arange(1000) * 2] = 5
    shown = shown_labels(labels, (240, 480), kept=[5])
    assert (shown == 5).any(axis=1).all() and (shown == 5).any(axis=0).all()


def test_ids_that_are_not_there_are_not_said_to_be_outlined() -> None:
    labels = np.zeros((4, 4), np.int64)
    plain = mask_picture(labels)
    for ids in ([7], [70_000], [-1]):
        picture = mask_picture(labels, outlined=ids)
        assert (picture.pixels == plain.pixels).all() and "outlined" not in picture.alt


def test_void_is_hatched_in_two_greys() -> None:
    picture = mask_picture(np.full((20, 20), 255, np.uint8), ClassColors(LabelSpec(2, ignore_index=255)), size=20)
    assert colors_in(picture.pixels) == {VOID_COLOR, HATCH_COLOR}


def test_over_an_image_borders_are_opaque_and_the_rest_is_mixed() -> None:
    labels = np.repeat(np.array([0, 1], np.uint8), 10)[None].repeat(20, axis=0)
    colors = ClassColors(LabelSpec(2, colors=[(200, 0, 0), (0, 0, 200)]))
    picture = mask_picture(labels, colors, image=np.full((40, 40, 3), 100, np.uint8), size=20)
    assert picture.photograph and "image" in picture.alt
    assert picture.pixels[5, 9].tolist() == [200, 0, 0]
    assert picture.pixels[5, 3].tolist() == [120, 80, 80] and picture.pixels[5, 15].tolist() == [45, 45, 155]  # the background is thin


@pytest.mark.parametrize(("shape", "over"), [
    ((200, 100), True), ((102, 50), True), ((100, 51), True), ((100, 52), False), ((50, 100), False)])
def test_an_image_of_other_proportions_is_not_shown(shape: tuple[int, int], over: bool) -> None:
    picture = mask_picture(np.zeros((100, 50), np.uint8), image=np.zeros((*shape, 3), np.uint8))
    assert picture.photograph is over


def test_a_pixel_and_a_box_are_marked() -> None:
    labels = np.zeros((100, 100), np.uint8)
    plain = mask_picture(labels, size=100).pixels
    ringed = np.argwhere((mask_picture(labels, at=(50, 60), size=100).pixels != plain).any(axis=2))
    assert ringed.min(axis=0).tolist() == [44, 54] and ringed.max(axis=0).tolist() == [56, 66]
    framed = mask_picture(labels, box=(10, 20, 30, 60), size=100).pixels
    assert framed[9, 40].tolist() == WHITE and framed[8, 40].tolist() == [0, 0, 0] and (framed[10:30, 20:60] == plain[10:30, 20:60]).all()
    assert (mask_picture(labels, box=(0, 0, 100, 100), size=100).pixels == plain).all()


@pytest.mark.parametrize(("samples", "expected"), [
    (np.array([[0, 255]], np.uint8), [[0] * 3, [255] * 3]),
    (np.array([[False, True]]), [[0] * 3, [255] * 3]),
    (np.array([[100, 300]], np.uint16), [[0] * 3, [255] * 3]),
    (np.array([[5.0, 5.0]]), [[0] * 3, [0] * 3]),
    (np.array([[np.nan, 1.0, 2.0]]), [[0] * 3, [0] * 3, [255] * 3]),
    (np.array([[-np.inf, 0.5, 1.5]]), [[0] * 3, [0] * 3, [255] * 3]),
    (np.array([[np.nan, np.inf]]), [[0] * 3, [0] * 3]),
    (np.array([[[1, 2, 3, 9], [4, 5, 6, 9]]], np.uint8), [[1, 2, 3], [4, 5, 6]]),
    (np.array([[[7, 255], [8, 255]]], np.uint8), [[7] * 3, [8] * 3]),
])
def test_an_image_of_any_type_can_be_looked_at(samples: NDArray[np.generic], expected: list[list[int]]) -> None:
    shown = as_photograph(samples)
    assert shown.dtype == np.uint8 and shown.tolist() == [expected]


def test_an_image_is_averaged_where_it_shrinks_and_never_blurred_where_it_grows() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    image[::2] = 200
    assert (shown_image(image, (2, 2)) == 100).all()
    assert (shown_image(image, (8, 8)) == image.repeat(2, 0).repeat(2, 1)).all()

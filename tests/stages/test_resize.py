"""Resize: exact, in any type, and honest about what is lost."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask
from labelguard.files.limits import MAX_BYTES
from labelguard.finding import Severity
from labelguard.kernels import area_vote
from labelguard.stages import Resize
from tests.checks.scenes import mask, scene
from tests.drawn import examples
from tests.kernels.strategies import label_images
from tests.stages.plain import TYPES, Labels, resized

sizes = st.integers(1, 30)


def cell_with(pixels: int, of: int, label: int = 7, dtype: str = "uint8") -> Labels:
    """One row, of which the last pixels hold a label and the others 0."""
    labels = np.zeros((1, of), dtype)
    labels[0, of - pixels:] = label
    return labels


# --- size ---------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("shape", "scale", "expected"), [
    ((10, 20), 0.5, (5, 10)),
    ((10, 20), 2, (20, 40)),
    ((3, 5), 0.5, (2, 3)),           # halves are rounded up
    ((7, 9), 0.3, (2, 3)),           # 2.1 and 2.7
    ((45, 15), 0.1, (5, 2)),         # 4.5 and 1.5, though 0.1 is a little more in binary
    ((35, 105), 0.7, (25, 74)),      # 24.5 and 73.5, though 0.7 is a little less
    ((3, 300), 0.01, (1, 3)),        # never 0
    ((1, 1), 1e-5, (1, 1)),
    ((11, 13), 1.0, (11, 13)),
])
def test_a_scale_is_a_decimal_and_halves_are_rounded_up(shape: tuple[int, int], scale: float, expected: tuple[int, int]) -> None:
    assert Resize(scale=scale).size(shape) == expected
    assert Resize(scale=scale)(np.ones(shape, np.uint8)).shape == expected


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (5, 3), (4, 17), (40, 2)])
def test_height_comes_before_width(size: tuple[int, int]) -> None:
    assert Resize(*size)(scene(range(5), (8, 48))).shape == Resize(height=size[0], width=size[1]).size((8, 48)) == size


def test_the_size_of_the_mask_itself_gives_the_mask() -> None:
    labels = scene(range(9), (40, 56))
    assert np.array_equal(Resize(40, 56)(labels), labels) and np.array_equal(Resize(scale=1)(labels), labels)


def test_enlarging_repeats_pixels() -> None:
    assert Resize(2, 6)(mask("1 2 3")).tolist() == [[1, 1, 2, 2, 3, 3]] * 2


# --- exact --------------------------------------------------------------------------------------------------------------------------------

@given(labels=label_images(below=9, longest=24), height=sizes, width=sizes, dtype=st.sampled_from(TYPES[1:]))
def test_each_cell_takes_the_id_with_the_largest_area(labels: Labels, height: int, width: int, dtype: str) -> None:
    labels = labels[:14]
    assert np.array_equal(Resize(height, width)(labels.astype(dtype)), resized(labels, height, width))


@given(labels=label_images(below=300, dtype=np.uint16, longest=40), height=sizes, width=sizes, center=st.booleans(),
       keep=st.dictionaries(st.integers(0, 299), st.sampled_from([0.01, 0.1, 0.25, 1 / 3, 0.5, 1]), max_size=9),
       offset=st.sampled_from([0, -7, 65_500, 2 ** 33]))
@examples(200)
def test_it_equals_the_definition(labels: Labels, height: int, width: int, center: bool, keep: dict[int, float], offset: int) -> None:
    """Also for ids of any size, which are voted on by their rank: same order, same ties."""
    thresholds = np.zeros(300, np.int64)
    for label, share in keep.items():
        thresholds[label] = -(-labels.size * Fraction(share).limit_denominator(100) // 1)
    expected = area_vote.definition(labels, height, width, 300, thresholds, center).astype(np.int64) + offset
    stage = Resize(height, width, "center" if center else "lowest", {label + offset: share for label, share in keep.items()})
    assert np.array_equal(stage(labels.astype(np.int64) + offset), expected)


@given(labels=label_images(below=9, longest=30), height=sizes, width=sizes, data=st.data())
def test_it_does_not_matter_what_the_ids_are_called(labels: Labels, height: int, width: int, data: st.DataObject) -> None:
    """Any names in the same order give the same picture, so that nothing is computed with ids."""
    names = np.array(sorted(data.draw(st.sets(st.integers(0, 65_535), min_size=9, max_size=9))), np.uint16)
    assert np.array_equal(Resize(height, width)(names[labels]), names[Resize(height, width)(labels)])


@given(labels=label_images(below=12, longest=40), height=sizes, width=sizes)
def test_no_id_is_invented(labels: Labels, height: int, width: int) -> None:
    assert set(np.unique(Resize(height, width)(labels))) <= set(np.unique(labels))


# --- ties ---------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("rows", "lowest", "center"), [
    ("7 3", 3, 3),                              # equally near
    ("3 7", 3, 3),
    ("1 7 7 1", 1, 7),                          # 7 lies in the middle
    ("-5 3 3 -5", -5, 3),                       # also where ids are ranks
    ("70000 3 3 70000", 3, 3),
    ("3 70000 70000 3", 3, 70000),
    ("1 1 1 1 / 1 7 7 1 / 7 7 7 7 / 1 1 7 7", 1, 7),
])
def test_ties_go_to_the_lowest_id_or_to_the_one_nearest_to_the_middle(rows: str, lowest: int, center: int) -> None:
    labels = mask(rows, "int32")
    assert Resize(1, 1)(labels).tolist() == Resize(1, 1, ties="lowest")(labels).tolist() == [[lowest]]
    assert Resize(1, 1, ties="center")(labels).tolist() == [[center]]


@pytest.mark.parametrize("ties", ["lowest", "center"])
def test_a_tie_rule_decides_nothing_else(ties: Any) -> None:
    assert Resize(1, 1, ties=ties)(mask("9 9 1 9 9 1 1 9 1")).tolist() == [[9]]


# --- keep ---------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("share", "pixels", "of"), [
    (0.25, 1, 4), (0.1, 1, 10), (0.7, 7, 10), (0.07, 7, 100), (0.29, 29, 100), (0.3, 3, 10), (1 / 3, 1, 3), (2 / 3, 2, 3), (1 / 7, 1, 7),
    (0.001, 1, 1000), (1, 5, 5), (1e-6, 1, 1000),
])
@pytest.mark.parametrize(("label", "dtype"), [(7, "uint8"), (-7, "int16"), (70_000, "int64"), (300, "uint16")])
def test_a_kept_class_takes_a_cell_at_its_share_exactly(share: float, pixels: int, of: int, label: int, dtype: str) -> None:
    stage = Resize(1, 1, keep={label: share})
    assert stage(cell_with(pixels, of, label, dtype)).tolist() == [[label]]
    if pixels > 1:
        fewer = cell_with(pixels - 1, of, label, dtype)
        assert stage(fewer).tolist() == Resize(1, 1)(fewer).tolist()  # 0, but for shares above a half


@pytest.mark.parametrize(("keep", "expected"), [({7: 0.25}, 7), ({7: 0.26}, 0)])
def test_the_share_is_one_of_the_cell_where_cells_cut_pixels(keep: dict[int, float], expected: int) -> None:
    """Each of the 2 cells is 2.5 pixels wide and holds 0.625 pixels of 7: a quarter."""
    labels = np.zeros((4, 5), np.uint8)
    labels[0, :] = 7
    assert Resize(1, 2, keep=keep)(labels).tolist() == [[expected] * 2]


def test_a_kept_class_wins_against_any_majority_and_the_larger_of_two_kept_wins() -> None:
    labels = mask("0 0 0 0 0 0 5 5 7 7")
    assert Resize(1, 1, keep={7: 0.2})(labels).tolist() == [[7]]
    assert Resize(1, 1, keep={7: 0.2, 5: 0.2})(labels).tolist() == [[5]]
    assert Resize(1, 1, keep={7: 0.2, 5: 0.3})(labels).tolist() == [[7]]
    assert Resize(1, 1, keep={7: 0.1, 5: 0.1})(mask("0 0 0 0 0 0 5 7 7 7")).tolist() == [[7]]


def test_a_kept_class_below_its_share_votes_like_the_others() -> None:
    assert Resize(1, 1, keep={7: 0.9})(mask("0 7 7")).tolist() == [[7]]


def test_kept_ids_that_are_not_there_change_nothing() -> None:
    labels = scene(range(6), (40, 40), dtype="int16")
    assert np.array_equal(Resize(7, 7, keep={99: 0.1, -4: 0.1, 300: 0.1, 10 ** 6: 0.1})(labels), Resize(7, 7)(labels))


def test_keep_may_be_pairs() -> None:
    assert Resize(1, 1, keep=((7, 0.5), (3, 1))) == Resize(1, 1, keep={3: 1.0, 7: 0.5})


# --- types --------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", TYPES[1:])
def test_the_type_is_kept(dtype: str) -> None:
    labels = mask("1 2 / 1 2", dtype)
    assert Resize(1, 2).apply(Mask(labels)).labels.dtype.newbyteorder("=") == np.dtype(dtype).newbyteorder("=")
    assert Resize(1, 2)(labels).dtype == np.dtype(dtype)


@pytest.mark.parametrize("labels", [
    mask("70000 70000 3 / 70000 3 3", "int32"),
    mask("-1 -1 -100 / -1 -100 -100", "int16"),
    np.array([[-2 ** 63, -2 ** 63, 2 ** 63 - 1], [-2 ** 63, 2 ** 63 - 1, 2 ** 63 - 1]], np.int64),
    np.array([[0, 0, 2 ** 64 - 1], [0, 2 ** 64 - 1, 2 ** 64 - 1]], np.uint64),
])
def test_ids_of_any_size_are_voted_on(labels: Labels) -> None:
    first, last = labels[0, 0], labels[-1, -1]
    assert Resize(1, 3)(labels).tolist() == [[first, min(first, last), last]]
    assert Resize(2, 1)(labels).tolist() == [[first], [last]]


def test_more_ids_than_a_table_holds() -> None:
    labels = np.arange(260 * 260, dtype=np.int64).reshape(260, 260) * 3
    assert np.array_equal(Resize(130, 130)(labels), labels[::2, ::2])
    assert np.array_equal(Resize(260, 520)(labels), labels.repeat(2, axis=1))


# --- asked, and refused -------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [{"height": 1, "width": 1}, {"height": 4, "width": 40}, {"scale": 0.5}])
@pytest.mark.parametrize("bad", [12, 255, -1])
def test_ids_that_are_no_class_are_refused_though_the_resize_would_hide_them(size: dict[str, Any], bad: int) -> None:
    labels = np.zeros((20, 30), np.int16)
    labels[4:6, 7] = bad
    assert bad not in Resize(1, 1)(labels)
    stage = Resize(**size, num_classes=12)
    with pytest.raises(MaskRejectedError) as refused:
        stage.apply(Mask(labels, "a.png"))
    finding, = stage.findings(Mask(labels, "a.png"))
    assert refused.value.findings == (finding,)
    assert (finding.code, finding.severity, finding.ids, finding.pixels) == ("LG101", Severity.ERROR, (bad,), 2)
    assert (finding.first, finding.box) == ((4, 7), (4, 7, 6, 8))


def test_a_refusal_names_the_mask() -> None:
    finding, = Resize(1, 1, num_classes=2).findings(Mask(mask("0 9"), "a.png"))
    assert finding.path == "a.png"


def test_ignored_ids_are_no_reason_to_refuse() -> None:
    labels = mask("255 255 3")
    assert Resize(1, 1, num_classes=4, ignore_index=255)(labels).tolist() == [[255]]
    assert Resize(1, 1, ignore_index=255)(mask("9 9 3")).tolist() == [[9]]


def test_without_a_class_count_every_id_is_voted_on() -> None:
    assert Resize(1, 1)(mask("0 0 201 201 201")).tolist() == [[201]]


def test_classes_that_vanish_are_a_warning_and_no_refusal() -> None:
    labels = np.zeros((8, 8), np.uint8)
    labels[:, 1] = 7
    labels[2, 5] = 9
    found, = Resize(2, 2).findings(Mask(labels, "a.png"))
    assert (found.code, found.severity, found.ids, found.pixels, found.path) == ("LG306", Severity.WARNING, (7, 9), 9, "a.png")
    assert Resize(2, 2)(labels).tolist() == [[0, 0], [0, 0]]


def test_a_class_that_is_kept_does_not_vanish() -> None:
    labels = np.zeros((8, 8), np.uint8)
    labels[:, 1] = 7
    assert Resize(2, 2, keep={7: 0.25}).findings(Mask(labels)) == ()
    assert Resize(2, 2, keep={7: 0.25})(labels).tolist() == [[7, 0], [7, 0]]


@given(labels=label_images(below=40, longest=40), height=sizes, width=sizes)
def test_what_vanished_is_what_is_no_longer_there(labels: Labels, height: int, width: int) -> None:
    stage = Resize(height, width)
    gone = set(np.unique(labels).tolist()) - set(np.unique(stage(labels)).tolist())
    found = stage.findings(Mask(labels))
    assert {label for finding in found for label in finding.ids} == gone
    assert sum(finding.pixels or 0 for finding in found) == np.isin(labels, list(gone)).sum()


@pytest.mark.parametrize("arguments", [{"height": 1048576, "width": 1}, {"height": 1, "width": 1048576}, {"scale": 999.9}])
def test_the_largest_sizes_are_sizes(arguments: dict[str, Any]) -> None:
    Resize(**arguments)


# --- arguments that make no sense ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "sentence"), [
    ({}, "height is missing: give height and width, or scale."),
    ({"height": 5}, "width is missing: give height and width, or scale."),
    ({"width": 5}, "height is missing: give height and width, or scale."),
    ({"height": 0, "width": 5}, "height is 0; it must be a number of pixels from 1 to 1048576."),
    ({"height": 5, "width": -2}, "width is -2; it must be a number of pixels from 1 to 1048576."),
    ({"height": 5.0, "width": 2}, "height is 5.0; it must be a number of pixels from 1 to 1048576."),
    ({"height": True, "width": 2}, "height is True; it must be a number of pixels from 1 to 1048576."),
    ({"height": "5", "width": 2}, "height is '5'; it must be a number of pixels from 1 to 1048576."),
    ({"height": 5, "width": 10 ** 9}, "width is 1000000000; it must be a number of pixels from 1 to 1048576."),
    ({"height": 1048577, "width": 5}, "height is 1048577; it must be a number of pixels from 1 to 1048576."),
    ({"scale": 1000}, "scale is 1000; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"height": 5, "width": 5, "scale": 0.5}, "Give height and width, or scale, not both."),
    ({"height": 5, "scale": 0.5}, "Give height and width, or scale, not both."),
    ({"scale": 0}, "scale is 0; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": -0.5}, "scale is -0.5; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": float("nan")}, "scale is nan; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": float("inf")}, "scale is inf; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": "half"}, "scale is 'half'; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": True}, "scale is True; it must be a factor above 0 and below 1000, such as 0.5."),
    ({"scale": 1, "ties": "highest"}, "ties is 'highest'; it must be 'lowest' or 'center'."),
    ({"scale": 1, "ties": None}, "ties is None; it must be 'lowest' or 'center'."),
    ({"scale": 1, "keep": {7: 0}}, "keep has 7: 0; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: 1.5}}, "keep has 7: 1.5; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: -1}}, "keep has 7: -1; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: float("nan")}}, "keep has 7: nan; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: True}}, "keep has 7: True; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: "0.5"}}, "keep has 7: '0.5'; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {"pole": 0.5}}, "keep has 'pole': 0.5; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "keep": {7: 0.5, "pole": 0.5}}, "keep has 'pole': 0.5; write an id and a share above 0 and up to 1, such as 7: 0.25."),
    ({"scale": 1, "num_classes": 0}, "num_classes is 0; it must be at least 1."),
    ({"scale": 1, "num_classes": "3"}, "num_classes is '3'; it must be a whole number."),
    ({"scale": 1, "ignore_index": 0.5}, "ignore_index is 0.5; it must be a whole number."),
])
def test_impossible_arguments_fail_when_the_stage_is_made(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        Resize(**arguments)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("keep", [5, "7:0.25", ((7,),), [7]])
def test_keep_that_is_no_table_fails_when_the_stage_is_made(keep: Any) -> None:
    with pytest.raises(UsageError, match=r"^keep "):
        Resize(scale=1, keep=keep)


def test_two_shares_for_one_class_fail_when_the_stage_is_made() -> None:
    with pytest.raises(UsageError, match="7"):
        Resize(scale=1, keep=((7, 0.25), (7, 0.5)))


def test_a_result_may_be_as_large_as_a_mask_and_no_larger() -> None:
    assert Resize(MAX_BYTES // 1024, 1024).height == MAX_BYTES // 1024
    with pytest.raises(UsageError, match="pixels are .*at most") as refused:
        Resize(MAX_BYTES // 1024 + 1, 1024)
    assert refused.value.argument == "height"

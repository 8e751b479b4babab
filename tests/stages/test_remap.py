"""Remap: held against int64 arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labelguard.errors import MaskRejectedError, UsageError
from labelguard.facts.mask import Mask, Storage
from labelguard.files.read import read
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Remap
from tests.checks.scenes import mask, scene
from tests.kernels.strategies import label_images
from tests.stages.plain import TYPES, Labels, remapped

NAMES = ("sky", "road", "car")
IDS = mask("0 1 2 / 3 4 5")


def the_refusal(stage: Remap, labels: Labels, name: str = "") -> Finding:
    """The one finding of a mask that is refused; asking and applying say the same."""
    with pytest.raises(MaskRejectedError) as refused:
        stage.apply(Mask(labels, name))
    assert refused.value.findings == stage.findings(Mask(labels, name))
    finding, = refused.value.findings
    assert finding.code == "LG101" and finding.severity is Severity.ERROR
    return finding


def targets(stage: Remap, *labels: int) -> list[int | None]:
    return [stage.target(label) for label in labels]


# --- shift --------------------------------------------------------------------------------------------------------------------------------

def test_without_arguments_nothing_moves() -> None:
    assert np.array_equal(Remap()(IDS), IDS)


@pytest.mark.parametrize("shift", [-3, -1, 1, 250])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "int64"])
def test_a_shift_moves_every_id(shift: int, dtype: str) -> None:
    labels = mask("3 4 5 / 5 4 3", dtype)
    assert np.array_equal(Remap(shift)(labels), labels.astype(np.int64) + shift)


def test_what_would_go_below_0_is_refused_and_does_not_wrap() -> None:
    finding = the_refusal(Remap(-1), mask("4 0 1 / 0 2 0"), "a.png")
    assert finding.message == "Id 0 would not be a class after the remap (0 - 1 is -1)."
    assert (finding.ids, finding.pixels, finding.first, finding.box, finding.path) == ((0,), 3, (0, 1), (0, 0, 2, 3), "a.png")


def test_what_would_leave_the_classes_is_refused_with_all_its_ids() -> None:
    finding = the_refusal(Remap(1, num_classes=4), mask("0 1 0 0 / 0 1 3 0 / 0 0 4 4"))
    assert finding.message == "Ids 3, 4 would not be classes after the remap (3 + 1 is 4, classes are 0-3)."
    assert (finding.ids, finding.pixels, finding.first, finding.box) == ((3, 4), 3, (1, 2), (1, 2, 3, 4))
    assert "Merge these ids" in str(finding.fix) and "number of classes" in str(finding.fix)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_what_the_type_does_not_hold_is_refused_where_no_class_count_is_given(dtype: str) -> None:
    top = np.iinfo(dtype).max
    finding = the_refusal(Remap(1), np.array([[0, top]], dtype))
    assert finding.ids == (top,)
    assert Remap(1)(np.array([[0, top - 1]], dtype)).tolist() == [[1, top]]


def test_a_shift_onto_an_ignored_id_is_refused() -> None:
    """A class that became the ignored id would never be trained, and nothing would tell."""
    assert the_refusal(Remap(1, ignore_index=255), mask("0 254")).ids == (254,)
    assert the_refusal(Remap(-1, num_classes=12, ignore_index=3), mask("1 4")).ids == (4,)


# --- merges -------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("merge", [
    {0: 2, 1: 2, 2: 2},
    {(0, 1, 2): 2},
    {"0,1,2": 2},
    {"0-2": 2},
    {"0-2": "2"},
    {"0, 1-2": 2},
    {"0-1,2": "car"},
    {(0, 1): "last", 2: 2},
    {"sky": "car", "road": "last", "car": 2},
    (((0, 1), 2), ("2", "last")),
    [("0-2", "car")],
    {0: 2, "0-1": 2, (2, 2): 2},
])
def test_every_spelling_of_a_merge_is_the_same_stage(merge: Any) -> None:
    stage = Remap(merge=merge, names=NAMES)
    assert stage == Remap(merge={0: 2, 1: 2, 2: 2}, names=NAMES)
    assert stage.merge == ((0, 2), (1, 2), (2, 2)) and hash(stage) == hash(Remap(merge={"0-2": 2}, names=NAMES))


def test_merged_ids_go_where_they_are_sent_and_the_others_by_the_shift() -> None:
    stage = Remap(-1, {0: "last", (3, 5): 0}, num_classes=6)
    assert targets(stage, *range(8)) == [5, 0, 1, 0, 3, 0, 5, None]


def test_a_merge_names_ids_before_the_shift_and_targets_after_it() -> None:
    assert Remap(10, {1: 1})(mask("0 1 2")).tolist() == [[10, 1, 12]]


def test_ids_do_not_move_twice() -> None:
    assert Remap(merge={0: 1, 1: 2, 2: 0})(mask("0 1 2")).tolist() == [[1, 2, 0]]


@pytest.mark.parametrize("shift", [-1, 0, 2])
def test_a_source_name_is_the_id_that_becomes_this_class_by_the_shift(shift: int) -> None:
    stage = Remap(shift, {"car": "sky"}, names=NAMES)
    assert stage.merge == ((2 - shift, 0),)


def test_a_range_may_begin_below_0() -> None:
    assert Remap(merge={"-2-1": 7}).merge == ((-2, 7), (-1, 7), (0, 7), (1, 7))
    assert Remap(merge={-1: 0})(mask("-1 3", "int16")).tolist() == [[0, 3]]


def test_a_name_that_looks_like_nothing_else_is_a_name() -> None:
    assert Remap(merge={"traffic light, red": "a-b"}, names=("a-b", "traffic light, red")).merge == ((1, 0),)


def test_last_is_the_last_class_of_the_set_whatever_the_file_holds() -> None:
    stage = Remap(merge={0: "last"}, num_classes=12)
    assert stage(mask("0 3")).tolist() == [[11, 3]] and stage(mask("0 0")).tolist() == [[11, 11]]


def test_names_give_the_class_count() -> None:
    assert Remap(names=NAMES).num_classes == 3
    assert the_refusal(Remap(names=NAMES), mask("2 3")).ids == (3,)


# --- ignored ids --------------------------------------------------------------------------------------------------------------------------

def test_ignored_ids_stay() -> None:
    assert Remap(-1, {0: "last"}, num_classes=12, ignore_index=255)(mask("0 1 255")).tolist() == [[11, 0, 255]]


def test_an_ignored_id_moves_where_a_merge_names_it() -> None:
    assert Remap(merge={255: 0}, num_classes=2, ignore_index=255)(mask("1 255")).tolist() == [[1, 0]]
    assert Remap(merge={254: 255}, num_classes=2, ignore_index=(254, 255))(mask("1 254 255")).tolist() == [[1, 255, 255]]


def test_ignore_names_the_one_ignored_id() -> None:
    assert Remap(merge={(0, 3): "ignore"}, num_classes=3, ignore_index=255)(mask("0 1 3 255")).tolist() == [[255, 1, 255, 255]]


def test_a_target_may_be_any_ignored_id_by_its_number() -> None:
    assert Remap(merge={0: 254}, num_classes=3, ignore_index=(254, 255))(mask("0 1 255")).tolist() == [[254, 1, 255]]


def test_an_ignored_id_below_the_class_count_is_no_class() -> None:
    stage = Remap(num_classes=3, ignore_index=0)
    assert targets(stage, 0, 1, 2, 3) == [0, 1, 2, None]
    assert targets(Remap(-1, num_classes=3, ignore_index=0), 0, 1, 2) == [0, None, 1]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", ">i4"])
def test_ignored_ids_may_be_negative(dtype: str) -> None:
    stage = Remap(-1, {0: "last", 4: "ignore"}, num_classes=4, ignore_index=-1)
    assert stage(mask("0 1 -1 / 4 3 -1", dtype)).tolist() == [[3, 0, -1], [-1, 2, -1]]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_a_negative_ignored_id_can_be_the_target_of_unsigned_ids(dtype: str) -> None:
    stage = Remap(merge={0: "ignore"}, num_classes=4, ignore_index=-1)
    result = stage(mask("0 1 / 2 3", dtype))
    assert result.tolist() == [[-1, 1], [2, 3]] and result.dtype.kind == "i"


# --- table --------------------------------------------------------------------------------------------------------------------------------

def test_a_table_says_where_every_id_goes() -> None:
    stage = Remap(table={7: 0, "8,11": 1, (12, 13): "last", 0: "ignore"}, num_classes=3, ignore_index=255)
    assert stage(mask("7 8 11 / 12 13 0")).tolist() == [[0, 1, 1], [2, 2, 255]]
    assert stage.table == ((0, 255), (7, 0), (8, 1), (11, 1), (12, 2), (13, 2))


def test_an_id_that_the_table_leaves_out_is_refused() -> None:
    finding = the_refusal(Remap(table={1: 0}), mask("1 9 / 1 0"))
    assert finding.message == "Ids 0 and 9 would not be classes after the remap (not in the table)."
    assert (finding.ids, finding.first, finding.box) == ((0, 9), (0, 1), (0, 1, 2, 2))


def test_ignored_ids_pass_a_table_that_does_not_name_them() -> None:
    assert Remap(table={1: 0}, ignore_index=255)(mask("1 255")).tolist() == [[0, 255]]


# --- the type of the result ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("num_classes", "ignored", "expected"), [
    (2, (), "uint8"), (12, 255, "uint8"), (256, (), "uint8"), (257, (), "uint16"), (256, 256, "uint16"), (12, 65535, "uint16"),
    (65536, (), "uint16"), (65537, (), "uint32"), (12, 2 ** 32 - 1, "uint32"), (12, 2 ** 32, "uint64"),
])
def test_the_type_is_the_smallest_that_holds_classes_and_ignored_ids(num_classes: int, ignored: Any, expected: str) -> None:
    stage = Remap(num_classes=num_classes, ignore_index=ignored)
    for dtype in ("uint8", "uint16", "int64"):
        assert stage.dtype(np.dtype(dtype)) == expected
        assert stage.apply(Mask(mask("0 1 / 1 0", dtype))).labels.dtype == expected


@pytest.mark.parametrize("ignored", [-1, -100, (-1, 255), -40_000])
def test_the_type_is_signed_where_an_ignored_id_is_negative(ignored: Any) -> None:
    stage = Remap(num_classes=12, ignore_index=ignored)
    limits = np.iinfo(stage.dtype(np.dtype(np.uint8)))
    assert all(limits.min <= label <= limits.max for label in (*stage.ignore_index, 11))


@pytest.mark.parametrize("dtype", TYPES[1:])
def test_the_type_stays_where_the_class_count_is_not_known(dtype: str) -> None:
    assert Remap(1).apply(Mask(mask("0 1", dtype))).labels.dtype == np.dtype(dtype)


def test_in_a_loader_the_type_is_kept_where_it_holds_the_ids() -> None:
    assert Remap(num_classes=2)(mask("0 1", "int64")).dtype == np.int64
    assert Remap(300, num_classes=400)(mask("0 1")).dtype == np.uint16
    assert Remap(300, num_classes=400)(mask("0 1")).tolist() == [[300, 301]]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_ids_above_65535_move(dtype: str) -> None:
    labels = mask("70000 2000000 / 0 70001", dtype)
    assert Remap(-1, {0: 99})(labels).tolist() == [[69_999, 1_999_999], [99, 70_000]]
    assert Remap(table={70_000: 0, 70_001: 1, 2_000_000: 2, 0: 255}, num_classes=3, ignore_index=255)(labels).tolist() == [[0, 2], [255, 1]]
    assert the_refusal(Remap(num_classes=80_000), labels).ids == (2_000_000,)


def test_ids_of_any_width_leave_a_byte() -> None:
    assert Remap(merge={0: "ignore"}, num_classes=4, ignore_index=2 ** 40)(mask("0 1")).tolist() == [[2 ** 40, 1]]
    assert Remap(merge={0: "ignore"}, num_classes=4, ignore_index=2 ** 32 - 1)(mask("0 1")).tolist() == [[2 ** 32 - 1, 1]]


@pytest.mark.parametrize("stage", [Remap(merge={0: 300}), Remap(table={0: 300, 1: 1})])
def test_a_target_that_the_type_does_not_hold_is_named(stage: Remap) -> None:
    finding = the_refusal(stage, mask("0 1"))
    assert finding.ids == (0,) and "300" in finding.message and "uint8" in finding.message


# --- palettes -----------------------------------------------------------------------------------------------------------------------------

def palette_after(stage: Remap, *colors: int) -> list[int]:
    """The red of each color of the result, for a palette of grey colors."""
    stored = Storage("png", "palette", palette=bytes(color for color in colors for _ in range(3)))
    label = next(label for label in range(len(colors)) if stage.target(label) is not None)
    after = stage.apply(Mask(np.array([[label]], np.uint8), stored=stored))
    assert after.stored is not None and after.stored.palette is not None and after.stored.channels == "palette"
    return list(after.stored.palette[::3])


def test_colors_move_with_their_ids() -> None:
    assert palette_after(Remap(-1, {0: "last"}, num_classes=3), 50, 60, 70) == [60, 70, 50]
    assert palette_after(Remap(2), 50, 60) == [0, 0, 50, 60]


def test_the_color_of_an_ignored_id_stays() -> None:
    assert palette_after(Remap(-1, {0: "ignore"}, num_classes=2, ignore_index=3), 50, 60, 70, 80) == [60, 70, 0, 80]


def test_a_merged_id_takes_the_color_of_the_class_that_it_joins() -> None:
    assert palette_after(Remap(merge={0: 1}, num_classes=2), 50, 60) == [0, 60]


# --- arguments that make no sense ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"shift": 1.0}, "shift is 1.0; it must be a whole number."),
    ({"shift": True}, "shift is True; it must be a whole number."),
    ({"shift": "-1"}, "shift is '-1'; it must be a whole number."),
    ({"num_classes": 0}, "num_classes is 0; it must be at least 1."),
    ({"num_classes": 2.5}, "num_classes is 2.5; it must be a whole number."),
    ({"num_classes": 2, "names": NAMES}, "num_classes is 2, but there are 3 names; give one for each class."),
    ({"ignore_index": "void"}, "ignore_index is 'void'; it must be a whole number."),
    ({"table": {0: 1}, "shift": -1}, "A table says where every id goes: leave out shift and merge."),
    ({"table": {0: 1}, "merge": {1: 0}}, "A table says where every id goes: leave out shift and merge."),
    ({"merge": {0: -1}}, "The target -1 is not a class (ids are 0 or more)."),
    ({"merge": {0: 12}, "num_classes": 12}, "The target 12 is not a class (classes are 0-11)."),
    ({"merge": {0: 12}, "num_classes": 12, "ignore_index": 255}, "The target 12 is not a class (classes are 0-11, ignored is 255)."),
    ({"table": {0: 12}, "num_classes": 12}, "The target 12 is not a class (classes are 0-11)."),
    ({"merge": {0: "last"}},
     "'last' cannot be resolved. The last class is not known: declare the number of classes (num_classes, --num-classes N)."),
    ({"merge": {0: "ignore"}}, "The target 'ignore' needs one ignored id: none is declared (ignore_index)."),
    ({"merge": {0: "ignore"}, "ignore_index": (254, 255)},
     "The target 'ignore' needs one ignored id: there are several (254, 255); name one by its number."),
    ({"merge": {0: "tree"}, "names": NAMES}, "'tree' is not a target; write an id, a class name, 'last' or 'ignore'."),
    ({"merge": {0: 1.0}}, "1.0 is not a target; write an id, a class name, 'last' or 'ignore'."),
    ({"merge": {0: True}}, "True is not a target; write an id, a class name, 'last' or 'ignore'."),
    ({"merge": {0: None}}, "None is not a target; write an id, a class name, 'last' or 'ignore'."),
    ({"merge": {"tree": 0}, "names": NAMES}, "'tree' names no ids; write 0, 1,2,5 or 30-33 or one of the classes sky, road, car."),
    ({"merge": {"": 0}}, "'' names no ids; write 0, 1,2,5 or 30-33."),
    ({"merge": {"5-3": 0}}, "'5-3' is not a range of ids; write the lower id first, and at most 65,536 ids."),
    ({"merge": {"0-65536": 0}}, "'0-65536' is not a range of ids; write the lower id first, and at most 65,536 ids."),
    ({"merge": {1.5: 0}}, "1.5 names no ids; write an id, several ids, a range such as '30-33', or a class name."),
    ({"merge": {(): 0}}, "() names no ids; write an id, several ids, a range such as '30-33', or a class name."),
    ({"merge": {(1, "2"): 0}}, "(1, '2') names no ids; write an id, several ids, a range such as '30-33', or a class name."),
    ({"merge": {0: 1, (0, 2): 2}}, "The merge sends 0 to 1 and to 2; give it one target."),
    ({"table": {"0-3": 1, 2: 2}}, "The table sends 2 to 1 and to 2; give it one target."),
    ({"merge": [0, 1]}, "[0, 1] does not say which id goes where; write a dictionary such as {0: 11}."),
    ({"merge": 5}, "5 does not say which id goes where; write a dictionary such as {0: 11}."),
    ({"table": 5}, "5 does not say which id goes where; write a dictionary such as {0: 11}."),
    ({"merge": "0:1"}, "'0:1' does not say which id goes where; write a dictionary such as {0: 11}."),
])
def test_impossible_arguments_fail_when_the_stage_is_made(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        Remap(**arguments)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("ignored", [2 ** 70, (-1, 2 ** 63)])
def test_ids_that_no_integer_type_holds_fail_when_the_stage_is_made(ignored: Any) -> None:
    with pytest.raises(UsageError, match=str(max(np.atleast_1d(np.array(ignored, object))))):
        Remap(num_classes=4, ignore_index=ignored)


# --- for any table ------------------------------------------------------------------------------------------------------------------------

ids = st.integers(0, 12)


@given(labels=label_images(below=12, longest=40), shift=st.integers(-3, 3), merge=st.dictionaries(ids, ids, max_size=5),
       num_classes=st.none() | st.integers(1, 13), ignored=st.lists(st.sampled_from([0, 3, 11, 100]), max_size=2, unique=True),
       dtype=st.sampled_from(TYPES[1:]))
def test_it_equals_int64_arithmetic_or_refuses(labels: Labels, shift: int, merge: dict[int, int], num_classes: int | None,
                                               ignored: list[int], dtype: str) -> None:
    spec = LabelSpec(num_classes, tuple(ignored))
    assume(all(spec.is_legal(target) for target in merge.values()))
    labels = labels.astype(dtype)
    stage = Remap(shift, merge, num_classes=num_classes, ignore_index=ignored)
    expected = remapped(labels, shift, merge, ignored)
    kept = np.isin(labels, [*merge, *ignored])
    bad = ~kept & ~np.vectorize(spec.is_class, otypes=[bool])(expected)
    if not bad.any():
        assert np.array_equal(stage(labels), expected)
        return
    finding = the_refusal(stage, labels)
    rows, columns = np.nonzero(bad)
    assert finding.ids == tuple(np.unique(labels[bad]).tolist()) and finding.pixels == bad.sum()
    assert finding.first == (rows[0], columns[0])
    assert finding.box == (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1)


@given(labels=label_images(below=300, dtype=np.uint16, longest=60), seed=st.integers(0, 2 ** 32 - 1), wide=st.booleans(),
       dtype=st.sampled_from(["uint16", ">u2", "int32", "uint64"]))
def test_the_joint_histogram_has_one_target_for_each_source_and_it_is_the_tables(labels: Labels, seed: int, wide: bool, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    table = dict(enumerate(rng.integers(0, 70_000 if wide else 200, 300).tolist()))
    result = Remap(table=table, num_classes=70_000 if wide else 200)(labels.astype(dtype))
    pairs = np.unique(np.stack([labels.ravel().astype(np.int64), result.ravel().astype(np.int64)]), axis=1).T.tolist()
    assert dict(pairs) == {label: table[label] for label in np.unique(labels).tolist()} and len(dict(pairs)) == len(pairs)


@given(labels=label_images(below=12, longest=40), order=st.permutations(range(12)))
def test_a_permutation_can_be_undone(labels: Labels, order: list[int]) -> None:
    there = Remap(table=dict(enumerate(order)), num_classes=12)
    back = Remap(table={target: label for label, target in enumerate(order)}, num_classes=12)
    assert np.array_equal(back(there(labels)), labels)


# --- data set A: a class too many, and every id one too high ------------------------------------------------------------------------------

def data_set_a(common: Labels, painted: bool, dtype: str) -> Labels:
    """Common ids 0 to 11 as data set A has them: one higher, with an unlabeled region, 0, and perhaps an ignored one, 255."""
    labels = common.astype(dtype) + np.ones_like(common, dtype)
    height, width = labels.shape
    labels[height // 4:height // 2, width // 3:2 * width // 3] = 0
    if painted:
        labels[:height // 8, width // 2:] = 255
        labels[height // 4:height // 4 + 3, :] = 255
    return labels


def is_repaired(labels: Labels, painted: bool) -> bool:
    ignored = (255,) if painted else ()
    stage = Remap(shift=-1, merge={0: "last"}, num_classes=12, ignore_index=ignored)
    on_disk, in_loader = stage.apply(Mask(labels)).labels, stage(labels)
    expected = remapped(labels, -1, {0: 11}, ignored)
    return on_disk.dtype == np.uint8 and in_loader.dtype == labels.dtype and np.array_equal(on_disk, expected) \
        and np.array_equal(in_loader, expected)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("painted", [False, True])
def test_data_set_a_is_repaired(painted: bool, dtype: str) -> None:
    masks = [data_set_a(scene(range(12), (96, 128), seed=seed), painted, dtype) for seed in range(5)]
    assert set(np.unique(masks).tolist()) == {*range(13), *([255] if painted else [])}
    assert all(is_repaired(labels, painted) for labels in masks)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("painted", [False, True])
def test_camvid_as_data_set_a_is_repaired(real_data: Any, painted: bool, dtype: str) -> None:
    files = sorted((real_data / "camvid" / "masks").glob("*.png"))[::10]
    assert len(files) >= 30
    for path in files:
        assert is_repaired(data_set_a(read(path).labels, painted, dtype), painted), path.name


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_painted_pixels_that_nobody_declared_are_refused(dtype: str) -> None:
    labels = data_set_a(scene(range(12), (96, 128)), True, dtype)
    finding = the_refusal(Remap(shift=-1, merge={0: "last"}, num_classes=12), labels)
    assert finding.message == "Id 255 would not be a class after the remap (255 - 1 is 254, classes are 0-11)."
    assert (finding.ids, finding.pixels, finding.first) == ((255,), (labels == 255).sum(), (0, 64))


def test_a_second_remap_is_refused_where_it_moves_a_class_below_0() -> None:
    stage = Remap(shift=-1, num_classes=12)
    once = stage(scene(range(1, 12), background=1))
    assert the_refusal(stage, once).ids == (0,)


def test_the_longest_range_is_all_ids_of_16_bits() -> None:
    assert Remap(merge={"0-65535": 0}).target(65535) == 0

"""LG102: ids that went below zero, told from void labels that look like them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labelguard import read
from labelguard.checks import double_shift, undeclared_ignore
from labelguard.checks import uint8_wraparound as wraparound
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import Labels, all_findings, dataset, errors, mended, on_dataset, scene, shifted
from tests.drawn import examples

TOP = {"uint8": 255, "uint16": 65535}
BOTH = pytest.mark.parametrize("dtype", ["uint8", "uint16"])


def scenes(classes: int, files: int = 3, **options: object) -> list[Labels]:
    """A set in which every class is seen."""
    return [scene(range(1, classes), seed=seed, **options) for seed in range(files)]


def the_wraparound(masks: list[Labels], spec: LabelSpec) -> Finding:
    """The one LG102 of a set, which must not be doubted by an LG103."""
    data = dataset(masks, spec)
    assert not list(undeclared_ignore.rule.dataset_check(data, spec))
    findings = list(wraparound.rule.dataset_check(data, spec))
    assert len(findings) == 1
    return findings[0]


def mends(finding: Finding, damaged: list[Labels], originals: list[Labels]) -> bool:
    return all(np.array_equal(mended(finding.fix, now), then) for now, then in zip(damaged, originals, strict=True))


# --- a shift ------------------------------------------------------------------------------------------------------------------------------

@BOTH
@pytest.mark.parametrize("by", [1, 2, 3])
@pytest.mark.parametrize("classes", [5, 19])
def test_a_shift_that_wrapped_is_named_and_undone(dtype: str, by: int, classes: int) -> None:
    originals = scenes(classes, dtype=dtype)
    damaged = [shifted(labels, by) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec(classes))
    assert finding.message.startswith(f"The ids were shifted by -{by} in {dtype} and wrapped: {TOP[dtype] + 1 - by} was 0")
    assert finding.message.endswith(f"every other id is {by} too low.")
    assert finding.ids == tuple(range(TOP[dtype] + 1 - by, TOP[dtype] + 1))
    assert finding.files == ("000", "001", "002")
    assert finding.pixels == sum(int((labels < by).sum()) for labels in originals)
    assert set(finding.explains) == set(range(classes - by, classes))
    assert finding.severity is Severity.ERROR
    assert mends(finding, damaged, originals)


def test_the_command_of_a_shift_reads_as_a_person_would_write_it() -> None:
    damaged = [shifted(labels, 2) for labels in scenes(5)]
    assert str(the_wraparound(damaged, LabelSpec(5)).fix) == "labelguard remap masks --shift 2 --merge 254:0 --merge 255:1 --num-classes 5"


def test_a_root_with_a_space_is_quoted() -> None:
    damaged = [shifted(labels, 1) for labels in scenes(5)]
    finding, = wraparound.rule.dataset_check(dataset(damaged, LabelSpec(5), root="my masks"), LabelSpec(5))
    assert str(finding.fix) == "labelguard remap 'my masks' --shift 1 --merge 255:0 --num-classes 5"


def test_150_classes_in_upright_images() -> None:
    originals = [scene(range(1, 150), (136, 120), seed=seed) for seed in range(2)]
    damaged = [shifted(labels, 1) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec(150))
    assert "shifted by -1" in finding.message
    assert mends(finding, damaged, originals)


def test_classes_scattered_over_the_files_are_summed() -> None:
    originals = [scene([1, 2], seed=0), scene([3, 4], seed=1), scene([], seed=2), scene([5], seed=3)]
    assert "shifted by -1" in the_wraparound([shifted(labels, 1) for labels in originals], LabelSpec(6)).message


def test_files_without_a_background_were_shifted_as_well() -> None:
    originals = [scene(range(1, 5)), *[scene([2, 3], background=1, seed=seed) for seed in range(4)]]
    finding = the_wraparound([shifted(labels, 1) for labels in originals], LabelSpec(5))
    assert finding.files == ("000", "001", "002", "003", "004")


# --- a void label that was shifted along --------------------------------------------------------------------------------------------------

@BOTH
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("by", [1, 2, 3])
def test_a_void_label_shifted_along_becomes_void_again(dtype: str, declared: bool, by: int) -> None:
    void = TOP[dtype]
    originals = scenes(7, ribbon=void, dtype=dtype)
    damaged = [shifted(labels, by) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec(7, (void,) if declared else ()))
    assert f"shifted by -{by}" in finding.message
    assert f"{void - by} was the void label {void}, {void - by + 1} was 0" in finding.message
    assert mends(finding, damaged, originals)


def test_the_command_for_254_beside_255() -> None:
    damaged = [shifted(labels, 1) for labels in scenes(7, ribbon=255)]
    assert str(the_wraparound(damaged, LabelSpec(7, 255)).fix) == (
        "labelguard remap masks --shift 1 --merge 254:255 --merge 255:0 --num-classes 7 --ignore-index 255")


def test_254_alone_is_the_void_of_a_set_without_zeros() -> None:
    damaged = [shifted(labels, 1) for labels in scenes(7, background=1, ribbon=255)]
    finding = the_wraparound(damaged, LabelSpec(7, 255))
    assert finding.ids == (254,) and finding.severity is Severity.WARNING  # was the set moved on purpose?
    assert "254 is the void label 255, moved along with the ids, or the ids were shifted by -1" in finding.message


def test_only_ids_that_are_there_are_spoken_of() -> None:
    damaged = [shifted(labels, 1) for labels in scenes(7, background=1, ribbon=255)]
    assert "255 was 0" not in the_wraparound(damaged, LabelSpec(7, 255)).message


def test_a_void_of_255_in_16_bits_is_shifted_along_too() -> None:
    originals = scenes(7, ribbon=255, dtype="uint16")
    damaged = [shifted(labels, 1) for labels in originals]  # 0 -> 65535, and 255 -> 254
    spec = LabelSpec(7, 255)
    findings = on_dataset(wraparound, damaged, spec)
    assert findings and all("shifted by -1 in uint16" in finding.message for finding in findings)
    assert any(mends(finding, damaged, originals) for finding in findings)


def test_a_shift_that_was_meant_leaves_254_behind_and_is_not_undone() -> None:
    """Labels that start at 1 were moved down by one, as they should be, and 255 with them: all classes are there."""
    meant = scenes(7, background=0, ribbon=254)
    finding = the_wraparound(meant, LabelSpec(7, 255))
    assert finding.ids == (254,)
    assert mends(finding, meant, [np.where(labels == 254, 255, labels) for labels in meant])


def test_254_where_no_class_count_is_declared() -> None:
    originals = scenes(7, ribbon=255)
    damaged = [shifted(labels, 1) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec())
    assert "shifted by -1" in finding.message and (not finding.fix.commands or mends(finding, damaged, originals))


def test_a_shift_by_2_where_no_class_count_is_declared() -> None:
    assert "shifted by -2" in the_wraparound([shifted(labels, 2) for labels in scenes(7)], LabelSpec()).message


# --- -1 written over the background -------------------------------------------------------------------------------------------------------

@BOTH
@pytest.mark.parametrize("classes", [2, 3, 19])
def test_minus_one_written_over_the_background_is_named_and_undone(dtype: str, classes: int) -> None:
    originals = scenes(classes, dtype=dtype)
    damaged = [np.where(labels == 0, TOP[dtype], labels).astype(dtype) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec(classes))
    assert finding.message.startswith(f"{TOP[dtype]} is a -1 that wrapped in {dtype}: it was written over class 0")
    assert finding.explains == (0,)
    assert str(finding.fix) == f"labelguard remap masks --merge {TOP[dtype]}:0 --num-classes {classes}"
    assert mends(finding, damaged, originals)


def test_two_classes_seen_of_150_do_not_make_0_overwritten() -> None:
    few = [scene([3, 7], background=12, band=255), scene([3], background=12, band=255, seed=1)]
    assert on_dataset(wraparound, few, LabelSpec(150)) == []


def test_labels_that_start_at_1_leave_no_0_either() -> None:
    numbered = scenes(8, background=1, band=255)  # 1-7 and an undeclared void
    assert on_dataset(wraparound, numbered, LabelSpec(7)) == []


# --- one file among many ------------------------------------------------------------------------------------------------------------------

def one_among(healthy: list[Labels], faulty: Labels) -> list[Labels]:
    return [*healthy[:123], faulty, *healthy[123:]]


def test_one_file_of_200_with_254_beside_255_is_named_alone() -> None:
    healthy = [scene(range(1, 5), (24, 24), seed=seed, ribbon=255) for seed in range(199)]
    masks = one_among(healthy, shifted(healthy[0], 1))
    finding = the_wraparound(masks, LabelSpec(5, 255))
    assert finding.files == ("123",)


def test_the_mend_for_one_file_of_200_leaves_the_others_whole() -> None:
    healthy = [scene(range(1, 5), (24, 24), seed=seed, ribbon=255) for seed in range(199)]
    finding = the_wraparound(one_among(healthy, shifted(healthy[0], 1)), LabelSpec(5, 255))
    assert "--holding 254" in str(finding.fix)


@pytest.mark.parametrize("fault", ["shift", "minus-one"])
def test_one_file_of_200_whose_background_became_255_is_not_called_void_for_certain(fault: str) -> None:
    healthy = [scene(range(1, 5), (24, 24), seed=seed) for seed in range(199)]
    faulty = shifted(healthy[0], 1) if fault == "shift" else np.where(healthy[0] == 0, 255, healthy[0]).astype("uint8")
    found = [finding for finding in all_findings(one_among(healthy, faulty), LabelSpec(5)) if 255 in finding.ids]
    assert {path for finding in found for path in finding.concerns} == {"123"}
    assert any(finding.severity is Severity.ERROR for finding in found)
    assert not any("is a void label" in finding.message for finding in found)


# --- what looks like it and is not --------------------------------------------------------------------------------------------------------

EVERY_BYTE = np.arange(256).repeat(16).reshape(64, 64)
CLEAN = {
    "VOC: thin borders, declared": (scenes(21, ribbon=255), LabelSpec(21, 255)),
    "VOC with its last class missing": ([scene(range(1, 20), ribbon=255)], LabelSpec(21, 255)),
    "Cityscapes: blobs, declared": (scenes(19, band=255), LabelSpec(19, 255)),
    "Cityscapes with its last class missing": (scenes(18, band=255), LabelSpec(19, 255)),
    "background ignored on purpose": (scenes(5, background=255), LabelSpec(5, 255)),
    "16 bits, declared 65535": (scenes(7, band=65535, dtype="uint16"), LabelSpec(7, 65535)),
    "every byte is a class": ([EVERY_BYTE.astype("uint8")], LabelSpec(256)),
    "255 classes and 255": ([EVERY_BYTE.astype("uint8")], LabelSpec(255, 255)),
    "16 bits, small ids": ([EVERY_BYTE.astype("uint16")], LabelSpec(256)),
    "trimap": ([scene([128, 255])], LabelSpec(256)),
    "ids chosen with gaps": ([scene([38, 75])], LabelSpec(76)),
    "two classes": (scenes(2), LabelSpec(2)),
    "nothing declared": (scenes(5), LabelSpec()),
    "150 classes": ([scene(range(1, 150), (136, 120))], LabelSpec(150)),
    "one pixel": ([np.zeros((1, 1), "uint8")], LabelSpec(1)),
    "declared -1": ([scene([1, 2], background=-1, dtype="int16"), scene([1, 2], dtype="int16")], LabelSpec(3, -1)),
}


@pytest.mark.parametrize("case", CLEAN)
def test_it_leaves_clean_sets_alone(case: str) -> None:
    masks, spec = CLEAN[case]
    assert on_dataset(wraparound, masks, spec) == []
    assert errors(masks, spec) == set()


def test_a_void_label_in_place_of_the_background_beside_a_missing_last_class_is_a_matter_of_odds() -> None:
    finding, = on_dataset(double_shift, [shifted(labels, 1) for labels in scenes(12)], LabelSpec(12, 255))
    assert finding.severity is Severity.WARNING and not finding.fix.commands
    assert "zero was reduced without need" in finding.message and "as declared" in finding.message


def test_thin_borders_that_nobody_declared_are_void() -> None:
    found = all_findings(scenes(21, ribbon=255), LabelSpec(21))
    assert [finding.code for finding in found] == ["LG103"]


def test_a_binary_set_is_not_a_wrapped_one() -> None:
    binary = scenes(2)
    assert errors([labels * 255 for labels in binary], LabelSpec(2)) == {"LG104"}


# --- what nobody can tell -----------------------------------------------------------------------------------------------------------------

UNTOLD = {
    "a shift by -1, class count unknown": ([shifted(labels, 1) for labels in scenes(7)], LabelSpec(),
                                           "Most likely the ids were shifted by -1; it may also be that 255 is a void label"),
    "-1 over the background, class count unknown": (scenes(7, background=255), LabelSpec(),
                                                    "Most likely 255 is a -1 that was written over class 0; it may also be that"),
    "areas of 255, class count unknown": (scenes(7, band=255), LabelSpec(), "Most likely 255 is a void label that is not declared; it may"),
    "areas of 255, several top classes missing": (scenes(5, band=255), LabelSpec(9), "Perhaps 255 is a void label that is not declared"),
}


@pytest.mark.parametrize("case", UNTOLD)
def test_what_cannot_be_told_is_called_undetermined(case: str) -> None:
    masks, spec, words = UNTOLD[case]
    finding, = on_dataset(wraparound, masks, spec) + on_dataset(undeclared_ignore, masks, spec)
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith(words) and not finding.fix.commands
    assert "what does " in f"{finding.evidence[-1]} {finding.fix}".lower()


def test_small_spots_of_255_beside_a_rare_last_class_may_be_void() -> None:
    spots = [scene([*range(1, 6), 255, 255], seed=seed) for seed in range(3)]  # 7 classes, of which the last has not come up
    finding, = on_dataset(wraparound, spots, LabelSpec(7)) + on_dataset(undeclared_ignore, spots, LabelSpec(7))
    assert finding.severity is Severity.WARNING and "255 is a void label that is not declared" in finding.message


@pytest.mark.parametrize("files", [30, 150])
def test_real_void_without_the_rare_last_class_is_not_taken_for_a_shift(real_data: Path, files: int) -> None:
    """CamVid, whose void is 11: as 255 it must not pass for a wrapped sky where nobody rides a bicycle."""
    masks = []
    for path in sorted((real_data / "camvid" / "masks").glob("*.png")):
        labels = read(path).labels
        if 10 not in labels:
            masks.append(np.where(labels == 11, 255, labels).astype("uint8"))
    assert len(masks) >= 150
    found = on_dataset(wraparound, masks[:files], LabelSpec(11))
    assert all(finding.severity is Severity.WARNING and not finding.fix.commands for finding in found)


@pytest.mark.parametrize("files", [30, 150])
def test_real_labels_that_were_shifted_are_named(real_data: Path, files: int) -> None:
    originals = [read(path).labels for path in sorted((real_data / "camvid" / "masks").glob("*.png"))[:files]]
    damaged = [shifted(labels, 1) for labels in originals]
    finding = the_wraparound(damaged, LabelSpec(12))
    assert "he ids were shifted by -1" in finding.message
    assert not finding.fix.commands or mends(finding, damaged, originals)  # the last class, a cyclist, may be absent for its own reasons


# --- for any set --------------------------------------------------------------------------------------------------------------------------

@examples(60)
@given(classes=st.integers(3, 40), by=st.integers(1, 3), seed=st.integers(0, 2 ** 16), files=st.integers(1, 3),
       dtype=st.sampled_from(["uint8", "uint16"]), void=st.booleans(), upright=st.booleans())
def test_any_shift_is_named(classes: int, by: int, seed: int, files: int, dtype: str, void: bool, upright: bool) -> None:
    assume(void or classes > by + 1)  # else multiplied by 255 gives the same ids
    shape = (88, 56) if upright else (56, 88)
    originals = [scene(range(1, classes), shape, seed=seed + i, ribbon=TOP[dtype] if void else None, dtype=dtype) for i in range(files)]
    spec = LabelSpec(classes)
    before = dataset(originals, LabelSpec(classes, (TOP[dtype],) if void else ()))
    assert list(wraparound.rule.dataset_check(before, LabelSpec(classes, (TOP[dtype],) if void else ()))) == []
    assert list(undeclared_ignore.rule.dataset_check(before, LabelSpec(classes, (TOP[dtype],) if void else ()))) == []
    damaged = [shifted(labels, by) for labels in originals]
    finding = the_wraparound(damaged, spec)
    assert f"shifted by -{by} in {dtype}" in finding.message
    assert not finding.fix.commands or mends(finding, damaged, originals)


@examples(80)
@given(classes=st.integers(2, 12), declared=st.booleans(), ignored=st.booleans(), background=st.sampled_from([0, 1, 254, 255]),
       low=st.sets(st.integers(0, 11), min_size=1), high=st.sets(st.sampled_from([156, 241, 252, 253, 254, 255])), band=st.booleans())
def test_no_fix_makes_an_id_illegal(classes: int, declared: bool, ignored: bool, background: int, low: set[int], high: set[int],
                                    band: bool) -> None:
    """Whatever is said of the ids, a class or a wrapped id does not leave the range by the mend that is advised."""
    spec = LabelSpec(classes if declared else None, (255,) if ignored else ())
    legal = {label for label in low | {background} if spec.is_legal(label)}
    labels = scene(sorted(legal | high), background=background, band=max(high) if high and band else None)
    for finding in on_dataset(wraparound, [labels], spec):
        if finding.fix.commands:
            mended(finding.fix, labels[np.isin(labels, [*legal, *(label for label in high if spec.is_legal(label)), *finding.ids])])

"""The verdict: what is certain, what is not, and what may be mended."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import labelguard
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.explanation import CauseName
from labelguard.explanations.restoring import restores
from labelguard.facts.builder import DatasetBuilder
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, dataset, facts_on_disk, shifted
from tests.explanations.made import account, sightings, told_as, whole

PLAIN = drawn_set(5, void=None)
VOID = drawn_set(5)


def weighed(masks: list[Labels], spec: LabelSpec) -> Verdict:
    found = verdict_on(dataset(masks, spec), spec)
    assert found is not None
    return found


def stretched(labels: Labels) -> Labels:
    """The ids of one file, spread over the whole range as a viewer does it."""
    top = int(labels.max())
    return relabeled([labels], lambda i: round(255 * i / top))[0]


FAULTS: dict[str, tuple[list[Labels], LabelSpec, str]] = {
    "shifted by -2": ([shifted(labels, 2) for labels in PLAIN], LabelSpec(5), "shift"),
    "shifted with the void label": ([shifted(labels, 1) for labels in VOID], LabelSpec(5, 255), "shift"),
    "in 16 bits": ([shifted(labels.astype("uint16"), 2) for labels in PLAIN], LabelSpec(5), "shift"),
    "counted from 1": (relabeled(VOID, lambda i: i if i == 255 else i + 1), LabelSpec(5, 255), "up"),
    "-100 cut": (relabeled(VOID, {255: 156}), LabelSpec(5, 255), "sentinel"),
    "0 and 255": ([255 * labels for labels in drawn_set(2, void=None)], LabelSpec(2), "binary"),
    "times 10": (relabeled(VOID, lambda i: i if i == 255 else 10 * i), LabelSpec(5, 255), "factor"),
    "times 60, which leaves 8 bits": (relabeled(PLAIN, lambda i: 60 * i % 256), LabelSpec(5), "factor"),
    "spread over 0-255": (relabeled(PLAIN, lambda i: round(255 * i / 4)), LabelSpec(5), "levels"),
    "BraTS": (relabeled(drawn_set(4, 40, void=None), {3: 4}), LabelSpec(4), "space"),
    "class * 1000 + 1": (relabeled(PLAIN, lambda i: 1000 * i + 1, "int32"), LabelSpec(5), "instances"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_plain_fault_of_a_whole_set_is_certain_and_can_be_mended(name: str) -> None:
    masks, spec, cause = FAULTS[name]
    found = weighed(masks, spec)
    assert [explanation.cause for _, explanation in found.told] == [cause]
    assert found.certainty == "certain" and found.mendable
    assert found.hedged.startswith(found.accounts[0].words[0].upper()) and "perhaps" not in found.hedged.lower()


LEFT_OPEN: dict[str, tuple[list[Labels], LabelSpec, str]] = {
    "numbers of objects": ([np.pad(np.arange(1, n, dtype="uint8").repeat(4).reshape(-1, 4), 1) for n in range(9, 40, 2)], LabelSpec(3),
                           "numbered"),
    "each file spread by itself": ([stretched(labels) for labels in drawn_set(19, void=None)], LabelSpec(19), "stretched"),
    "codes in some order": (relabeled(PLAIN, dict(enumerate((3, 77, 120, 201, 230)))), LabelSpec(5), "in order"),
}


@pytest.mark.parametrize("name", LEFT_OPEN)
def test_what_no_table_brings_back_is_not_mendable(name: str) -> None:
    masks, spec, cause = LEFT_OPEN[name]
    found = weighed(masks, spec)
    assert found.told[0].explanation.cause == cause and not found.mendable


def test_an_odd_id_of_which_nothing_is_known_is_not_certain_to_be_void() -> None:
    assert weighed(relabeled(VOID, {255: 250}), LabelSpec(5, 255)).certainty != "certain"


def test_healthy_sets_are_as_declared_or_not_weighed_at_all() -> None:
    assert verdict_on(dataset(VOID, LabelSpec(5, 255)), LabelSpec(5, 255)) is None
    assert verdict_on(dataset([]), LabelSpec(5)) is None
    missing = verdict_on(dataset([np.where(labels == 3, 0, labels) for labels in PLAIN], LabelSpec(5)), LabelSpec(5))
    assert missing is None or missing.is_as_declared
    found = weighed(PLAIN, LabelSpec())
    assert found.is_as_declared and found.certainty == "certain"


def in_folders(masks: dict[str, list[Labels]], spec: LabelSpec) -> Verdict:
    data = DatasetBuilder("masks")
    for folder, several in masks.items():
        for number, labels in enumerate(several):
            data.add(f"{folder}/{number:03}", facts_on_disk(labels, spec))
    found = verdict_on(data.build(), spec)
    assert found is not None
    return found


def test_a_sub_folder_with_another_numbering_is_told_from_the_rest() -> None:
    healthy = drawn_set(8, 40, void=None, most=4)
    found = in_folders({"a": healthy[:25], "b": relabeled(healthy[25:], lambda i: i + 1)}, LabelSpec(8))
    fates = {part.folder: explanation.cause for part, explanation in found.told}
    assert fates == {"a": "as declared", "b": "up"} and found.certainty == "certain"


def test_two_folders_are_weighed_once_whichever_is_called_the_rest() -> None:
    healthy = drawn_set(8, 40, void=None, most=4)
    found = in_folders({"a": healthy[:20], "b": relabeled(healthy[20:], lambda i: i + 1)}, LabelSpec(8))
    decoded = [account.decoded for account in found.accounts if found.odds[found.accounts.index(account)] > 1e-6]
    assert len(decoded) == len(set(decoded)) and found.odds[0] > 0.98
    assert {part.folder for part, _ in found.told} == {"a", "b"}


def _partly_wrapped(number: int, dtype: str, files: int = 16) -> list[Labels]:
    masks = [labels.astype(dtype) for labels in drawn_set(2, files, void=None)]
    return [shifted(labels, 1) if place < number else labels for place, labels in enumerate(masks)]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("number", [1, 8])
def test_two_classes_that_wrapped_in_some_files_are_no_foreground_of_255(number: int, dtype: str) -> None:
    found = weighed(_partly_wrapped(number, dtype), LabelSpec(2))
    assert {explanation.cause: part.num_files for part, explanation in found.told} == {"as declared": 16 - number, "shift": number}
    assert found.certainty == "certain"


def test_a_foreground_of_255_in_some_files_is_moved_where_the_background_has_the_frame() -> None:
    masks = [labels * (255 if place < 8 else 1) for place, labels in enumerate(drawn_set(2, 16, void=None))]
    found = weighed(masks, LabelSpec(2))
    assert found.mendable and all(explanation.table[label] == int(label > 0) for part, explanation in found.told for label in part.ids)


def _with_frame(share: float) -> Labels:
    """Two classes; of the frame, as much belongs to 0."""
    labels = np.zeros((80, 80), np.uint8)
    labels[:, 30:50] = 1
    on_frame = round((1 - share) * 316) - 40  # the band crosses it twice
    if on_frame > 0:
        labels[-1, 50:50 + min(30, on_frame)] = 1
        labels[-1, :max(0, on_frame - 30)] = 1
    return labels


@pytest.mark.parametrize(("share", "mended"), [(0.83, True), (0.77, False)])
def test_a_part_of_two_classes_is_mended_where_form_separates_clearly(share: float, mended: bool) -> None:
    masks = [_with_frame(share) * (255 if place < 8 else 1) for place in range(16)]
    assert weighed(masks, LabelSpec(2)).mendable == mended


@pytest.mark.parametrize(("share", "mended"), [(0.73, True), (0.67, False)])
def test_all_of_two_classes_are_mended_where_form_separates(share: float, mended: bool) -> None:
    assert weighed([_with_frame(share) * 255] * 16, LabelSpec(2)).mendable == mended


def test_three_classes_times_255_are_no_certain_shift() -> None:
    found = weighed([labels * 255 for labels in drawn_set(3, void=None)], LabelSpec(3))
    assert found.certainty != "certain" and not found.mendable
    assert "multiplied by 255" in found.doubt and "shifted by -2" in found.doubt


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(4, 255)])
def test_a_negative_is_not_mended_as_a_shift(spec: LabelSpec) -> None:
    masks = [255 - labels for labels in drawn_set(4, 1)]
    found = weighed(masks, spec)
    assert not found.mendable and "the ids were subtracted from 255" in found.doubt


@pytest.mark.parametrize(("void", "mendable"), [(255, False), (1, True)], ids=["spared", "multiplied too"])
def test_a_declared_void_label_is_made_no_class_where_it_may_still_be_void(void: int, mendable: bool) -> None:
    times = relabeled(drawn_set(5, 24), lambda i: void if i == 255 else 255 * i % 256)
    found = in_folders({"a": drawn_set(5, 48)[24:], "b": times}, LabelSpec(5, 255))
    assert {explanation.cause for _, explanation in found.told} == {"as declared", "factor"} and found.mendable is mendable


def test_files_that_share_no_id_with_the_others_are_not_shifted_along() -> None:
    masks = drawn_set(2, 6, void=None)
    found = weighed([*masks[:4], *(255 - labels for labels in masks[4:])], LabelSpec())
    assert {explanation.cause for _, explanation in found.told} == {"as declared", "inverted"}


@pytest.mark.parametrize("value", [2, 7, 127, 128, 250, 253, 254])
def test_one_odd_file_does_not_decide_for_forty(value: int) -> None:
    masks = [255 * labels for labels in drawn_set(2, 40, void=None)]
    masks[7] = np.where(masks[7] == 255, value, masks[7]).astype("uint8")
    found = weighed(masks, LabelSpec(2))
    most = max(found.told, key=lambda told: told.part.num_files)
    assert most.part.num_files == 39 and most.explanation.cause == "binary"



def test_the_word_for_what_it_may_be_names_the_rivals() -> None:
    few = [np.array([[0, 1, 1], [2, 3, 255]], np.uint8)] * 2
    found = weighed(few, LabelSpec(5))
    assert found.certainty != "certain" and ", or " in found.doubt


@pytest.mark.parametrize(("masks", "spec"), [
    ([labels * 255 for labels in drawn_set(5)], LabelSpec(5, 255)),
    ([labels * 255 for labels in drawn_set(5)], LabelSpec()),
    ([labels * 255 for labels in drawn_set(4, void=None)], LabelSpec(4)),
])
def test_ids_times_255_are_never_moved_as_a_shift(masks: list[Labels], spec: LabelSpec) -> None:
    found = weighed(masks, spec)
    assert found.told[0].explanation.name == ("factor", 255) and not found.mendable


def test_multiples_of_a_number_are_no_numbers_of_objects() -> None:
    found = weighed(relabeled(drawn_set(150, 12, void=None), lambda i: 10 * i, "uint16"), LabelSpec(150))
    assert found.told[0].explanation.cause == "factor"


RIVALS_ONLY = {"as declared", "clipped"}  # nothing to say, or said by the rule on absent classes beside what else may be


def test_every_cause_is_worded_by_some_rule() -> None:
    rules = "".join(path.read_text() for path in Path(labelguard.__file__).parent.joinpath("checks").glob("*.py"))
    assert {cause for cause in get_args(CauseName) if f'"{cause}"' not in rules} <= RIVALS_ONLY


@pytest.mark.parametrize(("ids", "weighed_at_all"), [(4096, True), (4097, False)])
def test_more_ids_than_classes_can_be_are_not_weighed(ids: int, weighed_at_all: bool) -> None:
    labels = np.arange(ids, dtype="uint16").reshape(1, -1)
    assert (verdict_on(dataset([labels], LabelSpec(5)), LabelSpec(5)) is not None) == weighed_at_all


def test_files_change_sides_by_what_they_hold() -> None:
    masks = drawn_set(5, 24)
    counted = relabeled(masks, lambda label: label if label == 255 else label + 1)
    mixed = [after if place % 2 else before for place, (before, after) in enumerate(zip(masks, counted, strict=True))]
    mixed[1] = np.where(mixed[1] == 5, 2, mixed[1]).astype("uint8")  # counted from 1, and without the id that gives it away
    found = weighed(mixed, LabelSpec(5, 255))
    shifted_files = next(part for part, explanation in found.told if explanation.cause == "up")
    assert shifted_files.num_files == 12


@pytest.mark.parametrize(("kept", "mendable"), [((1, 2), True), ((2, 3), False)], ids=["just sure", "not quite"])
def test_a_file_that_may_belong_to_either_part_is_not_mended(kept: tuple[int, ...], mendable: bool) -> None:
    masks = [labels if place % 3 else labels + np.uint8(1) for place, labels in enumerate(drawn_set(5, 24, void=None))]
    masks[1] = np.where(np.isin(masks[1], kept), masks[1], kept[0]).astype("uint8")
    found = weighed(masks, LabelSpec(5))
    assert found.certainty == "certain" and found.mendable is mendable


def test_legal_ids_are_never_mended() -> None:
    masks = relabeled(drawn_set(5, 60, void=None), lambda label: label - 1 if label else 255)
    found = weighed(masks, LabelSpec(5, 255))
    assert not found.is_as_declared and not found.mendable


def test_a_folder_with_other_scenes_is_no_fault() -> None:
    rng = np.random.default_rng(5)
    town = [np.pad(rng.integers(0, 3, (8, 8)).repeat(4, 0).repeat(4, 1), 4).astype("uint8") for _ in range(12)]
    lake = [np.where(labels == 2, 4, np.where(labels == 1, 3, labels)).astype("uint8") for labels in town]
    data = DatasetBuilder("masks")
    for folder, several in {"town": town, "lake": lake}.items():
        for number, labels in enumerate(several):
            data.add(f"{folder}/{number:03}", facts_on_disk(labels, LabelSpec(5)))
    found = verdict_on(data.build(), LabelSpec(5))
    assert found is None or found.is_as_declared


@pytest.mark.parametrize("spec", [LabelSpec(5), LabelSpec()])
def test_ids_at_the_top_of_32_bits_are_weighed_without_counting_up_to_them(spec: LabelSpec) -> None:
    found = weighed([shifted(labels.astype("uint32"), 3) for labels in PLAIN], spec)
    assert [explanation.name for _, explanation in found.told] == [("shift", 3)]


@pytest.mark.parametrize("spec", [LabelSpec(5), LabelSpec()])
def test_ids_beyond_63_bits_are_not_weighed(spec: LabelSpec) -> None:
    assert verdict_on(dataset([shifted(labels.astype("uint64"), 3) for labels in PLAIN]), spec) is None
    assert verdict_on(dataset([labels.astype("uint64") + 2 ** 62 for labels in PLAIN]), LabelSpec()) is not None


@pytest.mark.parametrize("lowest", [0, 1])
def test_where_nothing_is_declared_no_command_is_printed_unless_class_0_is_seen(lowest: int) -> None:
    seen = sightings({(0, 1, 2, 255): 20})
    moved = told_as(whole(seen), {255: lowest, 0: lowest + 1, 1: lowest + 2, 2: lowest + 3}, lowest + 4, "shift")
    assert restores(account([moved]), LabelSpec()) is (lowest == 0)

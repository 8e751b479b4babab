"""The verdict: what is certain, what is not, and what may be mended."""

from __future__ import annotations

import numpy as np
import pytest

from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.facts.builder import DatasetBuilder
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, dataset, facts_on_disk, shifted

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
    found = weighed([np.where(labels == 3, 0, labels) for labels in PLAIN], LabelSpec(5))
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
    assert fates == {"a": "as declared", "b": "up"} or found.certainty != "certain"
    assert not [told for told in found.told if told.explanation.cause == "more classes"]


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
    assert found.certainty != "certain" and " or that " in found.doubt


def test_a_verdict_vouches_for_its_own_table_only() -> None:
    found = weighed([shifted(labels, 2) for labels in PLAIN], LabelSpec(5))
    assert found.vouches_for(lambda label: (label + 2) % 256, 5, ())
    assert not found.vouches_for(lambda label: (label + 1) % 256, 5, ())
    assert not found.vouches_for(lambda label: (label + 2) % 256, 6, ())

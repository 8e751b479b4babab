"""LG112: ids assigned anew in each image."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.checks import per_image_ids as check
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.numbered_ids import numbered_ids_of
from labelguard.finding import Severity
from labelguard.kernels import tally
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, errors, facts_on_disk, mask, on_dataset
from tests.checks.test_instance_ids import numbered


def afresh(masks: list[Labels]) -> list[Labels]:
    """The ids of each file, background and void left out, numbered 1, 2, ..."""
    result = []
    for labels in masks:
        present = [label for label in np.unique(labels).tolist() if label not in (0, 255)]
        result += relabeled([labels], {label: number for number, label in enumerate(present, 1)})
    return result


def grades(files: int = 30) -> list[Labels]:
    """1 within 2 within 3, not all of them everywhere."""
    masks = []
    for number in range(files):
        labels = np.zeros((48, 64), np.uint8)
        for grade in range(1, 2 + number % 4):
            labels[6 * grade - 4:48 - 6 * grade + 4, 6 * grade:64 - 6 * grade] = grade
        masks.append(labels)
    return masks


@pytest.mark.parametrize("spec", [LabelSpec(5, 255), LabelSpec(None, 255)])
def test_ids_assigned_afresh_are_a_warning_and_no_error(spec: LabelSpec) -> None:
    masks = afresh(drawn_set(5))
    finding, = on_dataset(check, masks, spec)
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("Most likely the classes are numbered anew in each file")
    assert any(line.startswith("15 files hold fewer than 4 ids") for line in finding.evidence)
    assert "labelguard remap" not in str(finding.fix)
    assert errors(masks, spec) == set()


@pytest.mark.parametrize("classes", [8, 19, 150])
def test_with_more_classes_as_well(classes: int) -> None:
    assert len(on_dataset(check, afresh(drawn_set(classes, 60, (256, 160))), LabelSpec(classes, 255))) == 1


def test_one_folder_numbered_anew_is_told_from_the_rest() -> None:
    masks, data = drawn_set(19, 60, (256, 160)), DatasetBuilder("masks")
    for place, labels in enumerate([*masks[:30], *afresh(masks[30:])]):
        data.add(f"{'ab'[place >= 30]}/{place}", facts_on_disk(labels, LabelSpec(19, 255)))
    finding, = on_dataset(check, data.build(), LabelSpec(19, 255))
    assert finding.message.startswith("The ids run from 1 without a gap in 30 of 30 files") and {path[0] for path in finding.files} == {"b"}


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(5), LabelSpec(5, 255)),
    (drawn_set(19, 200), LabelSpec()),
    (drawn_set(2, 60), LabelSpec(2, 255)),
    (drawn_set(3, 60), LabelSpec(3, 255)),
    (grades(), LabelSpec(5)),
    (grades(), LabelSpec()),
    ([mask("1 2 / 3 4")] * 40, LabelSpec(5)),                                            # all of them everywhere
    ([mask("1 2 / 3 4")] * 20 + [mask("1 2 / 3 3")] * 20, LabelSpec(5)),                 # the last one is rare
    (afresh(drawn_set(5))[:6], LabelSpec(5, 255)),
    (numbered(30), LabelSpec(19)),                                                       # LG111
    (numbered(30), LabelSpec()),
    ([], LabelSpec()),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


# --- the facts that it rests on -----------------------------------------------------------------------------------------------------------

@given(st.integers(0, 2 ** 32 - 1), st.integers(1, 6), st.booleans(), st.booleans())
def test_objects_are_what_their_definition_says(seed: int, number: int, background: bool, void: bool) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.choice([*range(1, number + 1), *([0] * background), *([255] * void)], (4, 5)).astype("uint8")
    ids = np.unique(labels).tolist()
    found = numbered_ids_of(ids, tally.definition(labels, 256), 5)
    kept = [label for label in ids if label not in (0, 255)]
    if kept != list(range(1, len(kept) + 1)) or not kept:
        assert found is None
        return
    places = {label: np.nonzero(labels == label) for label in kept}
    boxes = {label: (rows.min(), columns.min(), -rows.max(), -columns.max()) for label, (rows, columns) in places.items()}
    firsts = [int(np.flatnonzero(labels.ravel() == label)[0]) for label in kept]
    assert found is not None and found.number == len(kept)
    assert found.rises == sum(a < b for a, b in pairwise(firsts))
    area = {label: (1 - box[2] - box[0]) * (1 - box[3] - box[1]) for label, box in boxes.items()}
    assert found.compact == sum(3 * len(places[label][0]) >= area[label] for label in kept)

"""LG112: ids assigned anew in each image."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.checks import per_image_ids as check
from labelguard.facts.numbered_ids import numbered_ids_of
from labelguard.finding import Severity
from labelguard.kernels import tally
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, errors, mask, on_dataset
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
    assert finding.message.startswith("The ids run from 1 without a gap in 24 of 24 files, up to different ends")
    assert "labelguard remap" not in str(finding.fix)
    assert errors(masks, spec) == set()


@pytest.mark.parametrize("classes", [8, 19, 150])
def test_with_more_classes_as_well(classes: int) -> None:
    assert len(on_dataset(check, afresh(drawn_set(classes, 60, (256, 160))), LabelSpec(classes, 255))) == 1


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(5), LabelSpec(5, 255)),
    (drawn_set(19, 200), LabelSpec()),
    (drawn_set(2, 60), LabelSpec(2, 255)),
    (drawn_set(3, 60), LabelSpec(3, 255)),
    (grades(), LabelSpec(5)),
    (grades(), LabelSpec()),
    ([mask("1 2 / 3 4")] * 40, LabelSpec(5)),                                            # all of them everywhere
    ([mask("1 2 / 3 4")] * 20 + [mask("1 2 / 3 3")] * 20, LabelSpec(5)),                 # the last one is rare
    (afresh(drawn_set(5))[:9], LabelSpec(5, 255)),
    (numbered(30), LabelSpec(19)),                                                       # LG111
    (numbered(30), LabelSpec()),
    ([], LabelSpec()),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def row(number: int) -> Labels:
    return np.arange(1, number + 1, dtype=np.uint8)[None]


def ends(*files: int) -> list[Labels]:
    """So many files that end at 4, at 3 and at 2."""
    return [row(number) for number, several in zip((4, 3, 2), files, strict=True) for _ in range(several)]


NESTED = mask("1 2 3 3 2 1")


def test_few_ids_are_enough() -> None:
    assert len(on_dataset(check, ends(5, 7, 3))) == 1
    assert on_dataset(check, [labels[:, :-1] for labels in ends(5, 7, 3)]) == []  # but three may well be classes that come in this order


@pytest.mark.parametrize(("three", "two", "found"), [
    (7, 3, 1), (6, 3, 0),   # ten files end below the highest id
    (8, 2, 0),              # and three below the one before
])
def test_how_many_files_end_early(three: int, two: int, found: int) -> None:
    assert len(on_dataset(check, ends(5, three, two))) == found


@pytest.mark.parametrize(("highest", "found"), [(64, 1), (65, 0)])
def test_there_are_at_most_64_ids(highest: int, found: int) -> None:
    assert len(on_dataset(check, [row(number) for number in range(highest - 12, highest + 1)], LabelSpec(70))) == found


@pytest.mark.parametrize(("with_gaps", "found"), [(1, 1), (2, 0)])
def test_one_file_in_fifty_may_have_gaps(with_gaps: int, found: int) -> None:
    masks = [*ends(5, 7, 3), *[row(3)] * (35 - with_gaps), *[mask("1 3")] * with_gaps]
    assert len(masks) == 50
    assert len(on_dataset(check, masks)) == found


@pytest.mark.parametrize(("nested", "found"), [(8, 1), (9, 0)])
def test_less_than_half_of_the_files_are_nested(nested: int, found: int) -> None:
    assert len(on_dataset(check, [*ends(5, 9 - nested, 3), *[NESTED] * nested])) == found


@pytest.mark.parametrize(("pixels", "found"), [(1, 1), (3, 0)])
def test_ids_that_tell_their_sizes_are_classes(pixels: int, found: int) -> None:
    """As organs do, which come up one after the other along the body."""
    larger = [np.repeat(labels, np.where(labels[0] % 2 == 0, pixels, 1), axis=1) for labels in ends(9, 9, 9)]
    assert len(on_dataset(check, larger)) == found


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
    assert found.in_order == (firsts == sorted(firsts))
    assert found.nested == all(all(a <= b for a, b in zip(boxes[i], boxes[i + 1], strict=True)) for i in kept[:-1])
    area = {label: (1 - box[2] - box[0]) * (1 - box[3] - box[1]) for label, box in boxes.items()}
    assert found.compact == sum(3 * len(places[label][0]) >= area[label] for label in kept)

"""A sample of the exam; `make exam` runs all of it and writes docs/accuracy.md."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fixtures.exam.cases import judged
from fixtures.exam.sample import Sample
from fixtures.exam.table import _empty, drawn, families
from fixtures.exam.tell import told_by_ids
from labelguard.spec.labelspec import LabelSpec

SEED = 3
QUICK = [name for name in families() if not name.startswith("pair")][::7]


@pytest.mark.parametrize("family", QUICK)
def test_no_command_spoils_labels_and_no_healthy_set_is_accused(family: str) -> None:
    case = drawn(family, SEED, 0)
    assert case is not None
    outcome = judged(case)
    assert not outcome.bad_runs, outcome
    assert not (case.kind == "healthy" and outcome.problems), outcome


def test_a_case_is_drawn_again_from_its_seed_and_number() -> None:
    def masks(seed: int, number: int) -> dict[str, bytes]:
        case = drawn("fault: counted from 1", seed, number)
        assert case is not None
        return {name: np.asarray(labels).tobytes() for name, labels in case.stored.masks.items()}
    assert masks(5, 1) == masks(5, 1)
    assert masks(5, 1) != masks(5, 2)
    assert masks(5, 1) != masks(6, 1)


def test_a_command_that_gives_other_labels_behind_a_clean_scan_is_spoiled() -> None:
    case = next(case for number in range(9) if (case := drawn("fault: foreground 255", SEED, number)) is not None
                and any(run.result == "right" for run in judged(case).runs))
    assert case.truth is not None
    other = replace(case, truth=case.truth.with_masks(lambda labels: 1 - labels))
    assert {run.result for run in judged(other).runs} == {"spoiled"}


def test_what_cannot_be_told_alone_is_not_asked_for_beside_a_fault_of_the_files() -> None:
    alone, beside = (drawn(f"{name}", SEED, 0) for name in ("fault: subtracted from the last class",
                                                            "pair: subtracted from the last class + one bit flipped"))
    assert alone is not None and beside is not None
    assert alone.untold and beside.must == ("LG001",)
    told = drawn("pair: sentinel -100 + images with alpha", SEED, 0)
    assert told is not None and len(told.must) == 2


def of_rows(*rows: list[int], number: int | None = 4) -> Sample:
    return Sample({f"{place}.png": np.array([row]) for place, row in enumerate(rows)}, LabelSpec(number))


@pytest.mark.parametrize(("rows", "true"), [([[0, 0], [0, 1]], True), ([[1, 1], [1, 2]], True), ([[2, 2], [1, 2], [0, 1]], False)])
def test_a_mask_without_an_object_may_be_said_to_be_one(rows: list[list[int]], true: bool) -> None:
    """It holds nothing but 0, or but what all masks hold."""
    assert ("LG201" in _empty(of_rows(*rows))) is true


def test_ids_cannot_tell_a_permutation_but_a_striking_absence() -> None:
    truth = of_rows(*[[0, 1, 2, 3]] * 8)
    turned = truth.with_masks(lambda labels: 3 - labels)
    clipped = truth.with_masks(lambda labels: np.minimum(labels, 2))
    assert told_by_ids(truth, turned, [*truth.masks]).untold
    assert not told_by_ids(truth, clipped, [*truth.masks]).untold


def test_ids_cannot_tell_a_rare_class_that_is_gone() -> None:
    truth = of_rows(*[[0, 1, 1]] * 7, [0, 2, 1], [0, 3, 1])
    assert told_by_ids(truth, truth.with_masks(lambda labels: np.minimum(labels, 2)), [*truth.masks]).untold == "they are as declared"


def test_ids_tell_a_shift_by_the_class_that_is_missing() -> None:
    truth = of_rows(*[[0, 1, 2, 3]] * 8)
    shifted = truth.with_masks(lambda labels: (labels - 1) % 256)
    assert not told_by_ids(truth, shifted, [*truth.masks]).untold
    few = of_rows([0, 1, 2, 3])
    assert told_by_ids(few, few.with_masks(lambda labels: (labels - 1) % 256), [*few.masks]).untold == "255 is void"

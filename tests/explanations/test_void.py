"""Void, zero and what a shift leaves: terms and guards that concern them."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from labelguard.explanations import decide, restoring
from labelguard.explanations.columns import Columns, Told
from labelguard.explanations.decide import verdict_on
from labelguard.explanations.explanation import VOID
from labelguard.explanations.lengths import length
from labelguard.explanations.part import Part
from labelguard.explanations.priors import FAULT
from labelguard.explanations.search import explanations
from labelguard.explanations.seeds import seeds
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, dataset
from tests.explanations.made import account, sightings, told_as, whole


def test_files_without_a_label_lack_all_classes_for_one_reason() -> None:
    table = {0: 0, 1: 1, 255: VOID}
    columns = Columns.of([told_as(whole(sightings({(0, 1, 255): 8, (255,): 4})), table)])
    assert columns.blank == 4 and columns.num_files == 12
    blank = length(columns.told, LabelSpec(2, 255))["classes"]
    lacking = length([told_as(whole(sightings({(0, 1, 255): 8, (255, 9): 4})), table | {9: 9})], LabelSpec(10, 255))["classes"]
    assert blank < lacking - 5


def test_files_without_a_label_that_are_a_part_are_named_once() -> None:
    seen = sightings({(0, 1): 20, (255,): 20})
    rest, empty = (told_as(Part(seen, np.arange(2) == row), {0: 0, 1: 1, 255: VOID}) for row in range(2))
    assert length([rest, empty], LabelSpec(2, 255))["classes"] < length([told_as(whole(seen), rest.explanation.table)],
                                                                         LabelSpec(2, 255))["classes"] - 20


@pytest.mark.parametrize(("faulty", "bits"), [(8, 0.0), (4, -log2(1.5)), (12, 1.0)])
def test_a_fault_of_some_files_concerns_few_rather_than_most(faulty: int, bits: float) -> None:
    def groups(faults: tuple[str, str]) -> float:
        seen = sightings({(0, 1): 16 - faulty, (1, 2): faulty})
        parts = [Part(seen, np.array(chosen)) for chosen in ((True, False), (False, True))]
        told = [told_as(part, {label: label for label in part.ids}, 3, cause) for part, cause in zip(parts, faults, strict=True)]
        return length(told, LabelSpec(3))["groups"]
    assert groups(("as declared", "shift")) - groups(("as declared", "as declared")) == pytest.approx(bits)


def test_the_usual_void_label_is_no_fault_where_nothing_is_declared() -> None:
    def prior(spec: LabelSpec, amount: int, mixed: frozenset[int] = frozenset()) -> float:
        part = whole(sightings({(0, 1, 255): 8}))
        return length([told_as(part, {0: 0, 1: 1, 255: VOID}, 2, "void", amount=amount, mixed=mixed)], spec)["prior"]
    unsaid = prior(LabelSpec(), 255)
    assert prior(LabelSpec(), 250) - unsaid == pytest.approx(FAULT)
    assert prior(LabelSpec(), 255, frozenset((255,))) - unsaid == pytest.approx(FAULT)
    assert prior(LabelSpec(2), 255) - prior(LabelSpec(2), 250) == 0


def test_a_void_label_may_have_gone_along_and_wrapped_to_0() -> None:
    def words(ids: tuple[int, ...]) -> list[str]:
        return [each.words for each in explanations(whole(sightings({ids: 9})), LabelSpec(5, 255)) if each.cause == "up"]
    wrapped = "the labels start at 1, and the void label 255 went along and wrapped to 0"
    assert wrapped in words((0, 1, 2, 3, 4, 5)) and wrapped not in words((1, 2, 3, 4, 5)) and wrapped not in words((0, 1, 2, 3, 4, 5, 255))


def test_files_that_hold_no_0_or_no_void_may_have_a_fate_of_their_own() -> None:
    seen = sightings({(0, 1, 2): 6, (0, 1, 255): 5, (1, 2, 255): 4})
    told = told_as(whole(seen), {0: 0, 1: 1, 2: 2, 255: VOID}, 3)
    tried = {tuple(seed.chosen.tolist()) for seed in seeds(told, LabelSpec(3, 255))}
    assert {(True, True, False), (False, True, True)} <= tried


def _half_raw() -> list[Labels]:
    """Half of the files with the label ids of ADE20K, where 0 is what is not labeled, and half as they are trained on."""
    masks = drawn_set(150, 24, (96, 160))
    raw = relabeled(masks, lambda label: 0 if label == 255 else label + 1)
    return [*raw[:12], *masks[12:]]


def test_a_ready_made_pipeline_is_never_meant_for_files_that_differ() -> None:
    spec = LabelSpec(150, 255)
    data = dataset(_half_raw(), spec)
    verdict = verdict_on(data, spec)
    assert verdict is not None and len(verdict.told) == 2
    part = verdict.told[0].part
    every = Part(part.seen, np.ones(len(part.seen.files), bool))
    space = next(each for each in explanations(every, spec) if each.cause == "space" and each.pipeline)
    assert restoring._has_strange_void(Told(every, space), spec)
    assert not any(restoring._has_strange_void(told, spec) for told in verdict.told)


@pytest.mark.parametrize(("facts", "merged"), [(decide._LEAST_FACTS, False), (decide._LEAST_FACTS - 0.01, True)])
def test_a_shift_that_may_have_put_two_classes_together_is_not_mended(facts: float, merged: bool) -> None:
    part = whole(sightings({(0, 1): 3}))
    shift = account([told_as(part, {0: 0, 1: 1}, cause="shift")], classes=10.0, prior=9.0)
    twice = account([told_as(part, {0: 0, 1: 1}, cause="reduced twice")], classes=10.0 + facts, prior=90.0)
    assert decide._may_be_merged(shift, [shift, twice]) is merged
    unknown = account([told_as(part, {0: 0}, cause="reduced twice")], classes=10.0, prior=90.0)
    assert not decide._may_be_merged(shift, [shift, unknown])


@pytest.mark.parametrize(("seen", "mended"), [(77, True), (78, False)])
def test_most_files_have_to_avoid_the_gaps_of_another_numbering_beyond_chance(seen: int, mended: bool) -> None:
    spec = LabelSpec(171, 255)
    raw = next(place for place, space in enumerate(spaces()) if space.name == "coco-stuff-raw")
    ids = tuple(sorted(label for label in spaces()[raw].drawn if label < 171)[:seen])
    for proven, told_so in ((2, mended), (3, False)):  # where half of the files prove it, nothing is asked
        made = told_as(whole(sightings({ids: 3, (*ids[:3], 175): proven})), {label: label for label in (*ids, 175)}, 171, "space")
        told = Told(made.part, replace(made.explanation, amount=raw))
        assert restoring._may_be_mended_already(told, spec) is told_so

"""Smoothing against what else may explain the ids along borders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from fixtures.exam.scenes import Setting, label_maps
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.sightings import Sightings
from labelguard.explanations.smoothing import Seams, _lengths, is_likelier, stands_out
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set, relabeled
from tests.checks.scenes import Labels, dataset, shifted

SPEC = LabelSpec(5, 255)


def asked(masks: list[Labels], seams: set[int], classes: int = 5) -> tuple[Seams, Verdict, DatasetFacts]:
    spec = LabelSpec(classes, 255)
    data = dataset(masks, spec)
    found = verdict_on(data, spec)
    assert found is not None
    return Seams(frozenset(record.path for record in data.records), frozenset(seams), frozenset(data.files_with) - seams), found, data


def bicubic(labels: Labels, size: tuple[int, int] = (120, 72)) -> Labels:
    return np.asarray(Image.fromarray(labels).resize(size, Image.Resampling.BICUBIC))


def test_a_filter_explains_what_it_left() -> None:
    masks = [bicubic(labels) for labels in drawn_set(5, 8)]
    seams, verdict, data = asked(masks, {label for labels in masks for label in labels.flat} - {0, 1, 2, 3, 4, 255})
    assert not verdict.is_as_declared and is_likelier(seams, verdict, data, SPEC)


def test_what_a_filter_leaves_comes_side_by_side() -> None:
    masks = [bicubic(labels, (80, 48)) for labels in label_maps(Setting("blobs", 19, (72, 120), 24))]
    left = [label for label in np.unique(masks).tolist() if 19 <= label < 255]
    mixed = dataset(relabeled(masks, dict(zip(left, np.random.default_rng(0).permutation(left).tolist(), strict=True))), LabelSpec(19, 255))
    seams, verdict, data = asked(masks, {*left}, 19)
    bits, of_mixed = (min(_lengths(seams, Sightings.of(each), each, LabelSpec(19, 255))) for each in (data, mixed))
    assert bits < verdict.accounts[0].bits and bits + 100 < of_mixed


def test_a_shift_explains_the_void_label_that_it_moved() -> None:
    seams, verdict, data = asked([shifted(labels, 1) for labels in drawn_set(5, 8)], {254})
    assert not is_likelier(seams, verdict, data, SPEC)


@pytest.mark.parametrize(("more", "likelier"), [(0.5, True), (-0.5, False)])
def test_the_shorter_account_wins(more: float, likelier: bool) -> None:
    seams, verdict, data = asked([shifted(labels, 1) for labels in drawn_set(5, 8)], {254})
    least = min(_lengths(seams, verdict.told[0].part.seen, data, SPEC))
    first = replace(verdict.accounts[0], terms={"prior": least + more})
    assert is_likelier(replace(seams, seams=frozenset()), replace(verdict, accounts=(first,)), data, SPEC) is likelier


def test_a_filter_leaves_nothing_in_a_file_that_holds_nothing_else() -> None:
    masks = [np.full((40, 40), label, np.uint8) for label in (7, 7, 7, 0, 1, 2)]
    seams, verdict, data = asked(masks, {7})
    assert not is_likelier(seams, verdict, data, SPEC)


@pytest.mark.parametrize(("between", "seams", "number", "out"), [
    (60, 2, 50, True), (59, 2, 50, False), (42, 4, 50, True), (41, 4, 50, False)])
def test_one_file_of_many_has_to_pay_for_being_that_one(between: int, seams: int, number: int, out: bool) -> None:
    assert stands_out([(between, 100)], seams, number) is out

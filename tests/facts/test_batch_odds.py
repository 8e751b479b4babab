"""What batches hold, held against forming every batch, of every crop."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelguard.facts.batch_odds import batches_of, crops_of, how_often
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts, factorize
from labelguard.spec.labelspec import LabelSpec
from tests.drawn import examples

SPECS = [LabelSpec(4, 3), LabelSpec(3, 3, background=1), LabelSpec(names=("a", "b", "c", "d"), ignore_index=(2, 3)), LabelSpec(None, 3)]


def asked(masks: list[Any], spec: LabelSpec, batch_size: int | None = None, crop: tuple[int, ...] | None = None) -> DatasetFacts:
    """The facts as a scan gathers them."""
    return collected(masks, spec, batch_size, crop).build()


def collected(masks: list[Any], spec: LabelSpec, batch_size: int | None, crop: tuple[int, ...] | None = None) -> DatasetBuilder:
    plan = LoaderPlan(batch_size, crop)
    data, cropping = DatasetBuilder(training=plan), plan.cropping(spec)
    for number, labels in enumerate(masks):
        facts = MaskFacts.of_labels(labels)
        crops = None if cropping is None else cropping.of(facts, lambda labels=labels: factorize(labels))
        data.add(str(number), facts, crops=crops)
    return data


def contents(labels: NDArray[Any], crop: tuple[int, ...] | None) -> list[frozenset[Any]]:
    """The ids of each crop of a mask; of the mask where there is no crop."""
    height, width = crop or labels.shape
    return [frozenset(labels[row:row + height, column:column + width].ravel().tolist())
            for row in range(labels.shape[0] - height + 1) for column in range(labels.shape[1] - width + 1)]


def plain(masks: list[NDArray[Any]], size: int, crop: tuple[int, ...] | None, holds_nothing: Callable[..., Any]) -> Any:
    """The share of batches of some size for whose ids something holds; each choice of masks, each choice of crops."""
    chosen = list(combinations([contents(labels, crop) for labels in masks], size))
    return np.mean([np.mean([holds_nothing(frozenset().union(*batch)) for batch in product(*masks)]) for masks in chosen])


small_masks = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=4).map(
    lambda masks: [np.array(mask, np.uint8).reshape(2, 2) for mask in masks])


@examples(60)
@given(small_masks, st.integers(1, 5), st.sampled_from(SPECS), st.sampled_from([None, (1, 2), (2, 1), (1, 1)]))
def test_shares_are_those_of_all_batches(masks: list[NDArray[Any]], batch_size: int, spec: LabelSpec, crop: tuple[int, ...] | None) -> None:
    batches = batches_of(asked(masks, spec, batch_size, crop), spec)
    ignored, background = set(spec.ignore_index), spec.background_id
    kinds = [(batches.blind, lambda ids: ids <= ignored)]
    if background is not None:
        kinds.append((batches.empty, lambda ids: ids <= ignored | {background}))
    kinds.extend((of.absent, lambda ids, label=of.label: label not in ids) for of in batches.classes or ())
    size, last = min(batch_size, len(masks)), len(masks) % min(batch_size, len(masks))
    for odds, holds in kinds:
        full_share, last_share = plain(masks, size, crop, holds), plain(masks, last, crop, holds) if last else 0
        assert (odds.share, odds.last) == (pytest.approx(full_share), pytest.approx(last_share))
        assert odds.per_epoch == pytest.approx(len(masks) // size * full_share + last_share)
    assert (batches.classes is None) == (not spec.declared) and (batches.empty is None) == (background is None)


def test_crop_shares_weigh_every_mask_alike() -> None:
    masks = [np.full((2, 2), 3, np.uint8), np.array([[3, 0, 1, 1, 1]], np.uint8)]
    crops = crops_of(asked(masks, LabelSpec(3, 3), crop=(1, 1)))
    assert crops.blind == {"0": 1, "1": 0.2} and crops.blind_share == pytest.approx(0.6)
    assert crops.empty == {"0": 1, "1": 0.4} and crops.empty_share == pytest.approx(0.7) and crops.smaller == ()


def test_nobody_asked_and_nothing_to_look_at() -> None:
    masks = [np.zeros((2, 2), np.uint8)]
    assert batches_of(asked(masks, LabelSpec(2)), LabelSpec(2)) is None and crops_of(asked(masks, LabelSpec(2))) is None
    assert batches_of(asked([], LabelSpec(2), 4, (1, 1)), LabelSpec(2)) is None and crops_of(asked([], LabelSpec(2), 4, (1, 1))) is None


def test_masks_whose_ids_are_not_sure_are_left_out() -> None:
    data = collected([np.zeros((2, 2), np.uint8), np.ones((2, 2), np.uint8)], LabelSpec(2), 1)
    data.add("lossy.jpg", MaskFacts.of_labels(np.ones((2, 2), np.uint8), Storage("jpeg", lossy=True)))
    batches = batches_of(data.build(), LabelSpec(2))
    assert batches.epoch.masks == 2 and batches.empty.share == 0.5 and [of.files for of in batches.classes] == [1, 1]


@pytest.mark.parametrize(("number", "words"), [
    (250, "250 times an epoch"), (3.21, "3.2 times an epoch"), (1, "once an epoch"), (0.4, "once in 2.5 epochs"),
    (1 / 97, "once in 97 epochs"), (1e-5, "once in 100,000 epochs"),
])
def test_how_often_is_said_in_epochs(number: float | int, words: str) -> None:
    assert how_often(number) == words


def test_crops_of_masks_that_are_no_longer_trusted_do_not_count() -> None:
    masks = [np.full((2, 2), 3, np.uint8), np.zeros((2, 2), np.uint8)]
    data = asked(masks, LabelSpec(2, 3), 1, (1, 1)).distrusting(["0"])
    assert crops_of(data).blind == {"1": 0} and batches_of(data, LabelSpec(2, 3)).blind.share == 0

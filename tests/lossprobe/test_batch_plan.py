"""The batches of an epoch, and the worst that another shuffle brings."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard import LabelSpec
from labelguard.lossprobe import Settings
from labelguard.lossprobe.batch_plan import (
    BatchKind,
    Extreme,
    MaskContents,
    training_batches,
    worst_batches,
)

SPEC = LabelSpec(3, ignore_index=(255,))
IDS = {Extreme.EMPTY: (0,), Extreme.ALL_IGNORED: (255,), Extreme.SINGLE_CLASS: (2,), None: (0, 1, 2)}
contents = st.lists(st.tuples(st.sampled_from([(4, 4), (4, 6)]), st.sampled_from([*IDS.values(), (0, 255), (1,), (7,)])), max_size=14)
plans = st.builds(Settings, batch_size=st.integers(1, 6), drop_last=st.booleans(), seed=st.none() | st.integers(0, 99))


def named(drawn: list[tuple[tuple[int, int], tuple[int, ...]]]) -> list[MaskContents]:
    return [MaskContents(f"{number}.png", shape, ids) for number, (shape, ids) in enumerate(drawn)]


@given(contents, plans)
def test_every_mask_is_in_one_batch_of_an_epoch_unless_the_last_is_dropped(drawn: list[Any], settings: Settings) -> None:
    masks = named(drawn)
    batches = list(training_batches(masks, settings))
    seen = Counter(member for batch in batches for member in batch.members)
    assert set(seen.values()) <= {1}
    assert all(batch.kind == BatchKind.TRAINING and len({masks[member].shape for member in batch.members}) == 1 for batch in batches)
    for shape, number in Counter(mask.shape for mask in masks).items():
        sizes = sorted(len(batch.members) for batch in batches if masks[batch.members[0]].shape == shape)
        rest = number % settings.batch_size
        assert sizes == [rest] * bool(rest and not settings.drop_last) + [settings.batch_size] * (number // settings.batch_size)


@given(contents, plans)
def test_without_a_shuffle_batches_follow_the_names_and_nothing_else_can_come(drawn: list[Any], settings: Settings) -> None:
    masks, settings = named(drawn), Settings(settings.batch_size, settings.drop_last, seed=None)
    for shape in {mask.shape for mask in masks}:
        order = [member for batch in training_batches(masks, settings) for member in batch.members if masks[member].shape == shape]
        assert order == sorted(order)
    assert not list(worst_batches(masks, SPEC, settings))


@given(contents, plans)
def test_the_worst_batches_can_be_formed_and_are_new(drawn: list[Any], settings: Settings) -> None:
    masks = named(drawn)
    formed = list(training_batches(masks, settings))
    for batch in worst_batches(masks, SPEC, settings):
        members = [masks[member] for member in batch.members]
        shape = members[0].shape
        sizes = {len(other.members) for other in formed if masks[other.members[0]].shape == shape}
        assert len(members) in sizes and len(set(batch.members)) == len(members) and 0 < batch.chance <= 1
        assert {mask.shape for mask in members} == {shape} and {mask.extreme(SPEC) for mask in members} == {batch.extreme} != {None}
        assert (batch.kind == BatchKind.ALONE) is (len(members) == 1)
        alike = [[masks[member].ids for member in other.members] for other in formed if masks[other.members[0]].shape == shape]
        assert batch.kind == BatchKind.UNIFORM or len(members[0].ids) > 1 or [members[0].ids] not in alike


@pytest.mark.parametrize(("ids", "extreme"), [
    ((0,), Extreme.EMPTY), ((0, 255), Extreme.EMPTY), ((255,), Extreme.ALL_IGNORED), ((2,), Extreme.SINGLE_CLASS),
    ((2, 255), Extreme.SINGLE_CLASS), ((0, 1), None), ((7,), None), ((7, 255), None), ((0, 7), None)])
def test_which_masks_are_extreme(ids: tuple[int, ...], extreme: Extreme | None) -> None:
    assert MaskContents("a.png", (4, 4), ids).extreme(SPEC) == extreme


@pytest.mark.parametrize("kinds", ["EEVVV", "EVVVV", "EEEVV", "AEESV", "SSEEV", "EEVVVV", "VVVV"])
@pytest.mark.parametrize("batch_size", [1, 2, 3, 4])
@pytest.mark.parametrize("drop_last", [False, True])
def test_the_chance_is_that_of_all_shuffles(kinds: str, batch_size: int, drop_last: bool) -> None:
    names = {"E": Extreme.EMPTY, "A": Extreme.ALL_IGNORED, "S": Extreme.SINGLE_CLASS, "V": None}
    masks = [MaskContents(f"{number}", (4, 4), IDS[names[kind]]) for number, kind in enumerate(kinds)]
    settings = Settings(batch_size, drop_last)
    seen: Counter[tuple[int, Extreme | None]] = Counter()
    orders = list(permutations(range(len(masks))))
    for order in orders:
        for start in range(0, len(order), batch_size):
            batch = order[start:start + batch_size]
            extremes = {masks[member].extreme(SPEC) for member in batch}
            if len(extremes) == 1 and None not in extremes and (len(batch) == batch_size or not drop_last):
                seen[len(batch), extremes.pop()] += 1
    formed = {(len(batch.members), extreme) for batch in training_batches(masks, settings)
              if len({extreme := masks[member].extreme(SPEC) for member in batch.members}) == 1 and extreme}
    chances = {(len(batch.members), batch.extreme): batch.chance for batch in worst_batches(masks, SPEC, settings)}
    assert chances == {kind: pytest.approx(min(1, times / len(orders))) for kind, times in seen.items() if kind not in formed}

"""DatasetFacts: frozen, its queries held against plain loops over the files, and answers that are found out once."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelguard.errors import UnreadableMaskError
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts, once
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.spec.labelspec import LabelSpec

File = tuple[list[int], bool]
FILES = st.lists(st.tuples(st.lists(st.integers(0, 6), min_size=1, max_size=6), st.booleans()), max_size=12)
LOSSY = Storage("jpeg", lossy=True)
WANTED = st.sets(st.integers(0, 7), max_size=3)


def built(files: Sequence[File]) -> DatasetFacts:
    """Files of one row of labels each; the second says whether it is lossy."""
    data = DatasetBuilder("masks", skipped=["junk"])
    for number, (labels, lossy) in enumerate(files):
        data.add(f"{number}.png", MaskFacts.of_labels(np.array([labels], np.uint8), LOSSY if lossy else None))
    return data.build()


@given(FILES, WANTED)
def test_queries_say_what_plain_loops_say(files: Sequence[File], wanted: set[int]) -> None:
    data = built(files)
    exact = {f"{number}.png": labels for number, (labels, lossy) in enumerate(files) if not lossy}
    matching = [path for path, labels in exact.items() if wanted & set(labels)]
    assert data.num_exact == len(exact) and data.files() == list(exact)
    assert data.id_sets() == Counter(tuple(sorted(set(labels))) for labels in exact.values())
    assert data.id_sets(wanted) == Counter(tuple(sorted(set(exact[path]))) for path in matching)
    assert data.files(wanted) == matching and data.count_of(wanted) == len(matching)
    assert data.files(wanted, limit=2) == matching[:2] and data.files(limit=1) == list(exact)[:1]
    assert [record.path for record in data.select(wanted)] == matching
    assert data.pixels_of(wanted) == sum(label in wanted for labels in exact.values() for label in labels)
    assert data.pixels_of([3], wanted) == sum(exact[path].count(3) for path in matching)
    assert data.kinds() == Counter(((1, len(labels)), LOSSY.encoding if lossy else "uint8") for labels, lossy in files)
    assert data.files_of_kind(lambda kind: kind.shape == (1, 2)) == [f"{n}.png" for n, (labels, _) in enumerate(files) if len(labels) == 2]


@given(FILES)
def test_a_function_is_asked_once_for_each_set_of_ids(files: Sequence[File]) -> None:
    asked: list[tuple[int, ...]] = []

    def even(ids: tuple[int, ...]) -> bool:
        asked.append(ids)
        return len(ids) % 2 == 0
    data = built(files)
    assert data.files(even) == [f"{n}.png" for n, (labels, lossy) in enumerate(files) if not lossy and len(set(labels)) % 2 == 0]
    assert len(asked) == len(set(asked)) == len(data.id_sets())


def test_distrusted_files_answer_no_more() -> None:
    data = built([([0, 1], False), ([0, 2], False)])
    less = data.distrusting({"1.png"})
    assert less.files() == ("0.png",) and less.files_with == {0: 1, 1: 1} and less.ids == data.ids and len(less.records) == 2
    assert data.files() == ("0.png", "1.png") and data.files_with == {0: 2, 1: 1, 2: 1}


@pytest.mark.parametrize("change", [
    lambda data: data.ids.__setitem__(999, 1), lambda data: data.ids.update({999: 1}), lambda data: data.ids.pop(0),
    lambda data: data.files_with.clear(), lambda data: data.palettes.setdefault(b"", ()),
    lambda data: data.training.crops.__setitem__("a", 1)])
def test_what_was_counted_cannot_be_changed(change: Callable[[Any], Any]) -> None:
    data = built([([0, 1], False)])
    with pytest.raises(TypeError, match="frozen"):
        change(data)


@pytest.mark.parametrize("name", [field.name for field in fields(DatasetFacts)])
def test_no_field_can_be_set(name: str) -> None:
    data = built([([0, 1], False)])
    with pytest.raises(FrozenInstanceError):
        setattr(data, name, getattr(data, name))
    assert not isinstance(getattr(data, name), (list, set)) and hash(data)


def test_facts_survive_pickling() -> None:
    data = pickle.loads(pickle.dumps(built([([0, 1], False)])))
    assert data.ids == {0: 1, 1: 1} and data.files() == ("0.png",)
    with pytest.raises(TypeError, match="frozen"):
        data.ids[0] = 2


def test_a_builder_gives_the_facts_up_to_now_and_leaves_those_it_gave_alone() -> None:
    data = DatasetBuilder()
    data.add("a", MaskFacts.of_labels(np.array([[0, 1]], np.uint8)))
    before = data.build()
    assert data.build() is before
    data.add("b", MaskFacts.of_labels(np.array([[1, 2]], np.uint8)))
    data.unreadable += 1
    after = data.build()
    assert (before.ids, before.unreadable, len(before.records)) == ({0: 1, 1: 1}, 0, 1)
    assert (after.ids, after.unreadable, len(after.records)) == ({0: 1, 1: 2, 2: 1}, 1, 2)


def test_a_question_is_answered_once_for_each_set_and_spec() -> None:
    calls: list[LabelSpec] = []

    @once
    def question(data: DatasetFacts, spec: LabelSpec) -> int:
        calls.append(spec)
        return data.num_exact
    data, other = built([([0], False)]), built([])
    assert [question(data, LabelSpec(2)), question(data, LabelSpec(2)), question(data, LabelSpec(3)), question(other, LabelSpec(2))] == [
        1, 1, 1, 0]
    assert calls == [LabelSpec(2), LabelSpec(3), LabelSpec(2)]


def test_no_number_of_a_record_can_be_changed() -> None:
    record, = built([([0, 0, 1], False)]).records
    changes: list[Callable[[], Any]] = [
        lambda: record.num_pixels.__setitem__(0, 9), lambda: record.num_pixels.append(9), lambda: record.num_pixels.pop(),
        lambda: record.num_pixels.reverse(), lambda: record.num_pixels.__delitem__(0)]
    for change in changes:
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert pickle.loads(pickle.dumps(record)) == record and list(record.num_pixels) == [2, 1]


def test_facts_can_be_pickled_after_questions_were_answered() -> None:
    data = built([([0, 1], False), ([2], True)])
    once(lambda data, _: data.num_exact)(data, LabelSpec(3))
    again = pickle.loads(pickle.dumps(data))
    assert again.records == data.records and again.id_sets() == data.id_sets() and again.ids == data.ids


def test_a_mask_may_hold_all_ids_of_16_bits_and_no_more() -> None:
    builder = DatasetBuilder()
    builder.add("a.npy", MaskFacts.of_labels(np.arange(65536).reshape(256, 256)))
    with pytest.raises(UnreadableMaskError, match="holds 65,537 different ids, and a mask may hold 65,536, all .*--exclude"):
        builder.add("b.npy", MaskFacts.of_labels(np.arange(65537).reshape(1, -1)))
    assert [record.path for record in builder.build().records] == ["a.npy"] and len(builder.build().ids) == 65536


def test_the_ids_of_all_masks_have_a_limit_and_those_that_recur_take_less_of_it() -> None:
    builder = DatasetBuilder(max_bytes=100_000)
    for number in range(2):
        builder.add(f"{number}", MaskFacts.of_labels(np.arange(200).reshape(1, -1)))
    builder.add("2", MaskFacts.of_labels(np.array([[1000]])))
    with pytest.raises(UnreadableMaskError, match=r"holds 200 ids, and the ids of the masks before it fill the 0\.0001 GB .*--max-memory"):
        builder.add("3", MaskFacts.of_labels(np.arange(200, 400).reshape(1, -1)))
    builder.add("4", MaskFacts.of_labels(np.arange(200).reshape(1, -1)))
    assert [record.path for record in builder.build().records] == ["0", "1", "2", "4"] and 300 not in builder.build().ids

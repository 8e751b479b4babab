from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import infer
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.runs.init import spec_file


def dataset(*files: Any, stored: Storage | None = None) -> DatasetFacts:
    data = DatasetBuilder()
    for number, ids in enumerate(files):
        data.add(f"{number}.png", MaskFacts.of_labels(np.array([ids]), stored))
    return data.build()


def test_classes_run_to_the_highest_id_and_255_beyond_a_gap_is_not_one() -> None:
    inference = infer(dataset(*[[0, 1, 2, 255]] * 30))
    assert inference.spec.num_classes == 3 and inference.spec.ignore_index == (255,) and inference.sure
    assert inference.lines[0] == "3 classes (ids 0-2), from 30 files. 255 was not counted as a class."


def test_few_files_are_not_sure() -> None:
    assert not infer(dataset([0, 1], [0, 1])).sure


def test_an_id_of_a_single_file_tells_the_chance_of_another() -> None:
    inference = infer(dataset([0, 1, 5], *[[0, 1, 2, 3, 4, 6]] * 39))
    assert "Seen in a single file: 5; the chance that a further file brings a new id is about 2.5 %." in inference.lines
    assert "is about 50 %." in infer(dataset([0, 1, 5], *[[0, 1], [0, 1, 7]] * 10, *[[0, 1, label] for label in range(8, 27)])).lines[-1]
    every_file_another = [[0, number, number + 1] for number in range(1, 61, 2)]
    assert infer(dataset(*every_file_another)).lines[-1].endswith("1-60; a further file brings about 2 new.")  # and no chance of 200 %


def test_where_0_is_never_seen_it_is_said_how_to_declare_labels_that_start_at_1() -> None:
    asked = "If the labels start at 1, there are 3 classes: declare --num-classes 3."
    assert asked in infer(dataset(*[[1, 2, 3]] * 30)).lines
    assert asked not in infer(dataset([0, 1, 3], *[[1, 3]] * 30)).lines
    assert asked in infer(dataset([1, 2, 3], [1, 2])).lines and asked not in infer(dataset([1, 2, 3])).lines  # 0 is not in every mask


def test_two_values_drawn_to_be_looked_at_are_two_classes() -> None:
    assert infer(dataset(*[[0, 255]] * 3)).spec == infer(dataset([0, 255], [0, 1])).spec
    assert infer(dataset(*[[0, 255]] * 3)).spec.num_classes == 2


@pytest.mark.parametrize("ids", [[255, 65535], [65535, 2 ** 32 - 1], [255, 65535, 2 ** 32 - 1]])
def test_where_there_is_nothing_but_usual_void_labels_no_class_is_inferred(ids: list[int]) -> None:
    inference = infer(dataset(ids, ids[:1]))
    assert not inference.spec.declared and inference.spec.ignore_index == tuple(ids) and "nothing but" in inference.lines[0]


def test_all_256_values_are_256_classes() -> None:
    inference = infer(dataset(*[list(range(256))] * 20))
    assert inference.spec.num_classes == 256 and inference.spec.ignore_index == ()


@pytest.mark.parametrize("ids", [[0, 26001, 26002], [0, 64, 128, 192, 254]])
def test_ids_that_do_not_count_classes_give_no_class_count(ids: list[int]) -> None:
    inference = infer(dataset(*[ids] * 30))
    assert inference.spec.num_classes is None and not inference.sure and "cannot be inferred" in inference.lines[0]


def test_lossy_files_are_no_evidence() -> None:
    inference = infer(dataset([0, 1], stored=Storage("jpeg", lossy=True)))
    assert inference.files == 0 and "Nothing can be inferred" in inference.lines[0]


@pytest.mark.parametrize("files", [[[0, 1, 2, 255]] * 30, [[0, 26001]], []])
def test_the_file_that_is_written_can_be_read_and_says_the_same(files: list[Any]) -> None:
    data = dataset(*files)
    inference = infer(data)
    values = tomllib.loads(spec_file(inference, data))
    assert values.get("num_classes") == inference.spec.num_classes and tuple(values["ignore_index"]) == inference.spec.ignore_index


# --- just inside and just outside ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ids", [[0, 1, 2], [0, 255]])
@pytest.mark.parametrize(("files", "sure"), [(19, False), (20, True)])
def test_twenty_files_are_needed_to_be_sure(ids: list[int], files: int, sure: bool) -> None:
    assert infer(dataset(*[ids] * files)).sure is sure


@pytest.mark.parametrize(("files", "sure"), [(2, False), (3, True)])
def test_the_highest_id_has_to_be_seen_in_three_files(files: int, sure: bool) -> None:
    assert infer(dataset(*[[0, 1, 2]] * files, *[[0, 1]] * 20)).sure is sure


@pytest.mark.parametrize(("ids", "sure"), [([0, 1, 2, 3, 4, 7], True), ([0, 1, 2, 3, 7], False)])
def test_a_quarter_of_the_ids_may_be_missing(ids: list[int], sure: bool) -> None:
    assert infer(dataset(*[ids] * 20)).sure is sure


@pytest.mark.parametrize(("top", "below", "void"), [(255, 222, True), (255, 223, False), (65535, 65502, True), (65535, 65503, False)])
def test_a_void_label_lies_more_than_32_above_the_classes(top: int, below: int, void: bool) -> None:
    assert infer(dataset([*range(below % 1000), below, top])).spec.ignore_index == ((top,) if void else ())


@pytest.mark.parametrize(("number", "counts"), [(1024, True), (1025, False)])
def test_no_more_than_1024_classes_are_inferred(number: int, counts: bool) -> None:
    assert infer(dataset(list(range(number)))).spec.declared is counts


@pytest.mark.parametrize(("highest", "counts"), [(47, True), (48, False)])
def test_ids_that_are_spread_wide_do_not_count_classes(highest: int, counts: bool) -> None:
    assert infer(dataset([0, highest])).spec.declared is counts


@pytest.mark.parametrize(("number", "more"), [(300, False), (301, True)])
def test_the_file_lists_300_ids(number: int, more: bool) -> None:
    data = dataset(list(range(number)))
    text = spec_file(infer(data), data)
    assert ("# ... and 1 more id\n" in text) is more and text.count(": 1, 1\n") == 300


def test_several_ignored_ids_are_plural() -> None:
    assert "255 and 65535 were not counted as classes." in infer(dataset(*[[0, 1, 2, 255, 65535]] * 30)).lines[0]

"""What would settle it: a question about the id and the file in which two accounts differ most."""

from __future__ import annotations

import numpy as np

from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.settling import settling
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, dataset, shifted

PLAIN = drawn_set(5, 6, void=None)


def asked(masks: list[Labels], spec: LabelSpec) -> tuple[Verdict, str, DatasetFacts]:
    data = dataset(masks, spec)
    verdict = verdict_on(data, spec)
    assert verdict is not None
    return verdict, settling(verdict, data, spec), data


def test_the_question_is_about_the_id_that_differs_and_the_file_where_it_covers_most() -> None:
    spots = [np.where(labels == 0, 0, labels) for labels in PLAIN]
    for place, labels in enumerate(spots):
        labels[:3 + 4 * (place == 2)] = 250
    _, question, data = asked(spots, LabelSpec(5, names=("sky", "road", "car", "tree", "person")))
    largest = max(data.records, key=lambda record: record.count(250)).path
    assert f"250 cover in {largest}: " in question and question[0].isupper() and question.endswith("?")


def test_classes_are_named_where_they_have_names() -> None:
    gaps = [np.where(labels == 2, 0, labels) + 1 for labels in PLAIN[:2]]
    _, question, _ = asked(gaps, LabelSpec(5, names=("sky", "road", "car", "tree", "person")))
    assert "(person)" in question, question


def test_where_no_class_count_is_declared_it_is_asked_for() -> None:
    _, question, _ = asked([shifted(labels, 1) for labels in PLAIN], LabelSpec())
    assert question.startswith("Are there ") and "classes?" in question, question


def test_where_one_account_says_that_each_file_has_its_own_numbers_that_is_asked() -> None:
    counted = [np.pad(np.arange(1, n, dtype="uint8").repeat(4).reshape(-1, 4), 1) for n in range(9, 40, 2)]
    _, question, _ = asked(counted, LabelSpec(3))
    assert question == "Does an id mean the same in all files?"

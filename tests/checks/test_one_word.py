"""One verdict, one word: whatever may have happened to the ids of a set, exactly one rule says it where it is the likeliest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import get_args

import numpy as np
import pytest

from labelguard.checks import absent_class, foreign_id_space, out_of_range
from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.explanations.columns import Told
from labelguard.explanations.decide import Certainty, Verdict
from labelguard.explanations.explanation import CauseName, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.search import Account, explanations
from labelguard.explanations.sightings import Sightings
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset

COCO = [label for label in range(92) if label not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83, 91)]
SETS: list[tuple[list[list[int]], LabelSpec]] = [
    ([[0, 1, 2, 3]], LabelSpec(3)), ([[1, 2, 3]], LabelSpec(3)), ([[1, 2, 3]], LabelSpec()), ([[0, 1, 2, 3]], LabelSpec(4)),
    ([[0, 1, 7]], LabelSpec(3)), ([[0, 1, 2, 255]], LabelSpec(3)), ([[0, 1, 2, 255]], LabelSpec(3, 255)), ([[0, 1, 2, 255]], LabelSpec()),
    ([[0, 1, 254]], LabelSpec(3)), ([[0, 1, 254]], LabelSpec(3, 255)), ([[0, 1, 2, 255]], LabelSpec(5, 255)), ([[0, 1, 2]], LabelSpec(4)),
    ([[0, 1, 156]], LabelSpec(3, 255)), ([[0, 1, 241]], LabelSpec(3)), ([[0, 255]], LabelSpec(2)), ([[0, 255]], LabelSpec(2, 255)),
    ([[0, 127]], LabelSpec(2)), ([[0, 1], [0, 255]], LabelSpec(2, 255)), ([[0, 20, 40, 60]], LabelSpec(4)), ([[0, 20, 40]], LabelSpec()),
    ([[0, 64, 128, 191, 255]], LabelSpec(5)), ([[255, 254, 253]], LabelSpec(3)), ([[0, 17, 50, 90]], LabelSpec(4)),
    ([[0, 17, 50]], LabelSpec(4)), ([[0, 15, 38, 53, 75]], LabelSpec(21)), ([COCO], LabelSpec(81)),
    ([[7, 8, 11, 26, 33]], LabelSpec(19, 255)),
    ([[0, 1001, 1002, 2001]], LabelSpec(3)), ([[0, 1, 232, 233]], LabelSpec(3)), ([[0, 1, 2, 3, 4, 5], [0, 1, 2, 3]], LabelSpec(3)),
    ([[0, 1, 2, 3, 4], [0, 1, 2]], LabelSpec(6)), ([[0, 255], [0, 128, 255], [0, 85, 170, 255]], LabelSpec(5)),
    ([[0, 1, 2, 255]], LabelSpec(19, 255)), ([[-1, 0, 1]], LabelSpec(2)), ([[3]], LabelSpec(3)),
]
FORCED = [(place, certainty) for place in range(len(SETS)) for certainty in ("certain", "undetermined")]


@cache
def facts(place: int) -> tuple[DatasetFacts, LabelSpec, Part, list[Explanation]]:
    """A set as facts, all of its files, and all that may have happened to them."""
    sets, spec = SETS[place]
    data = dataset([np.array(ids)[None].astype(np.int32).repeat(4, 0) for ids in sets], spec)
    seen = Sightings.of(data)
    part = Part(seen, np.ones(len(seen.files), bool))
    return data, spec, part, [*explanations(part, spec)]


def speakers(monkeypatch: pytest.MonkeyPatch, place: int, explanation: Explanation, certainty: Certainty) -> Iterator[Rule]:
    """The rules that say something where an explanation is the verdict."""
    data, spec, part, every = facts(place)
    accounts = tuple(Account((Told(part, each),), {"prior": each.bits}) for each in (explanation, every[0]))
    for name, module in [*sys.modules.items()]:
        if name.startswith("labelguard.checks.") and hasattr(module, "verdict_on"):
            monkeypatch.setattr(module, "verdict_on", lambda *_: Verdict(accounts, (0.99, 0.01), certainty, False))
    monkeypatch.setattr(foreign_id_space, "_hint", lambda *_: ())  # a note of its own, whatever the verdict is
    for rule in all_rules():
        if hasattr(sys.modules[rule.module], "said") and (spec.declared or not rule.needs_classes) and rule.dataset_check is not None:
            found = [*rule.dataset_check(data, spec)]
            assert len(found) <= 1
            if found:
                yield rule
    if explanation.cause == "void" and spec.declared and explanation.amount >= 0 and explanation.amount not in (*TOPS, spec.num_classes):
        yield out_of_range.rule  # any stray id may be void: it asks for the declaration, file by file


def test_every_cause_comes_up() -> None:
    found = {explanation.cause for place in range(len(SETS)) for explanation in facts(place)[3]}
    assert found == {*get_args(CauseName)}


@pytest.mark.parametrize(("place", "certainty"), FORCED)
def test_each_verdict_is_worded_by_one_rule(monkeypatch: pytest.MonkeyPatch, place: int, certainty: Certainty) -> None:
    data, spec, _, every = facts(place)
    firsts = {(each.cause, bool(each.mixed), each.repairable): each for each in every if each.cause != "as declared"}
    for explanation in firsts.values():
        if not spec.declared and explanation.cause in ("up", "void first"):
            continue  # what 0 is, and where classes start, is asked for and not said
        codes = [rule.code for rule in speakers(monkeypatch, place, explanation, certainty)]
        if explanation.cause == "clipped":
            assert not codes and any("it would be so if ids above" in line for line in next(
                iter(absent_class.rule.dataset_check(data, spec))).evidence)  # type: ignore[misc]
        else:
            assert len(codes) == 1, (explanation.cause, explanation.words, codes)

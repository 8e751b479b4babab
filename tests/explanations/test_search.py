"""The search: how far it goes."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelguard.explanations import search
from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import Case
from labelguard.explanations.groups import Grouping
from labelguard.explanations.part import Part
from labelguard.explanations.search import accounts
from labelguard.explanations.seeds import seeds
from labelguard.explanations.sightings import Sightings
from labelguard.spec.labelspec import LabelSpec
from tests.explanations.made import sightings, told_as, whole

SPEC = LabelSpec(5)
LEGAL, COUNTED = (0, 1, 2, 3, 4), (1, 2, 3, 4, 5)


def test_a_set_has_three_parts_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """However well more of them would explain it."""
    seen = sightings({LEGAL: 12, COUNTED: 12})
    monkeypatch.setattr(search, "seeds", lambda *_: [whole(seen)])
    monkeypatch.setattr(search, "_parted", lambda best, *_: [search.Account((*best.told, best.told[0]), {"prior": best.bits - 1})])
    monkeypatch.setattr(search, "_settled", lambda *_: ())
    assert max(len(each.told) for each in search.accounts(seen, SPEC)) == 3


@pytest.mark.parametrize(("ids", "parted"), [(512, True), (513, False)])
def test_a_set_of_more_ids_than_classes_are_is_not_parted(ids: int, parted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = sightings({(*range(ids - 1),): 4, (0, 9000): 4})
    asked: list[Told] = []
    monkeypatch.setattr(search, "seeds", lambda told, _: asked.append(told) or ())
    search.accounts(seen, LabelSpec(512))
    assert bool(asked) is parted


def test_five_explanations_of_the_rest_are_tried_beside_each_of_a_part() -> None:
    seen = sightings({LEGAL: 12, COUNTED: 12})
    before = search._account([told_as(whole(seen), {label: label for label in range(5)}, 5)], SPEC)
    found = [*search._parted(before, 0, Part(seen, np.array([False, True])), SPEC, float("inf"))]
    assert len({id(each.told[0].explanation) for each in found}) == 5


def test_files_change_sides_three_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as they want to: here two rows change places for ever."""
    seen = sightings({LEGAL: 12, COUNTED: 12})
    told = [told_as(Part(seen, np.array(chosen)), {label: label for label in range(6)}, 6, cause)
            for chosen, cause in (([True, False], "as declared"), ([False, True], "more classes"))]
    monkeypatch.setattr(search, "sides", lambda wide: np.stack([part.chosen for part, _ in wide], 1).astype(float))
    assert len([*search._settled(search._account(told, SPEC), whole(seen), SPEC)]) == 3


def test_files_of_a_part_without_a_name_may_hold_no_odd_id() -> None:
    """Void times 255 is 1, and class 1 is 255: files of these two that have the fault are as legal as those that have not."""
    seen, spec = sightings({(0, 1, 255): 9, (0, 2, 255): 9, (0, 1, 254): 6}), LabelSpec(3, 255)
    part, rest = (Part(seen, np.array(chosen)) for chosen in ([False, False, True], [True, True, False]))
    fault = next(each for each in search.explanations(part, spec) if each.name == ("factor", 255))
    account = search._account([told_as(rest, {0: 0, 1: 1, 2: 2, 255: -1}, 3), Told(part, fault)], spec)
    assert search._others_alike(account, part, fault, spec).tolist() == [True, False, False]


@pytest.mark.parametrize(("kinds", "open_"), [(1, False), (2, True)])
def test_of_more_kinds_of_files_than_are_asked_it_stays_open(kinds: int, open_: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_ROWS", 1)
    seen, spec = sightings({(0, 10, 20): 6, (0, 1, 2): 9, **dict.fromkeys([(0, 1, 3)][:kinds - 1], 9)}), LabelSpec(4)
    part = Part(seen, np.arange(1 + kinds) == 0)
    fault = next(each for each in search.explanations(part, spec) if each.name == ("factor", 10))
    account = search._account([told_as(whole(seen).without(part), {label: label for label in range(4)}, 4), Told(part, fault)], spec)
    assert search._others_alike(account, part, fault, spec).tolist() == [False] + [open_] * kinds


# --- seeds ------------------------------------------------------------------------------------------------------------------------------

def seeds_of(seen: Sightings, spec: LabelSpec) -> list[Part]:
    return [*seeds(told_as(whole(seen), {label: label for label in range(spec.num_classes or 0)}, spec.num_classes or 0), spec)]


def test_the_files_with_an_illegal_id_are_tried_though_a_legal_one_is_not_explained() -> None:
    seen, spec = sightings({(0, 1): 9, (0, 1, 2): 9, (0, 254): 6, (0, 255): 6}), LabelSpec(3)
    found = [part.chosen.tolist() for part in seeds(told_as(whole(seen), {0: 1, 1: 2, 255: 0, 254: -1}, 3, "shift"), spec)]
    assert [False, False, True, True] in found


def test_the_files_of_eight_odd_ids_are_tried_one_by_one() -> None:
    odd = [(0, 1, label) for label in range(10, 20)]
    found = seeds_of(sightings({(0, 1): 20, **dict.fromkeys(odd, 1)}), LabelSpec(2))
    assert [part.num_files for part in found] == [10, *[1] * 8]  # all of them together, then each of eight


def test_the_six_groups_that_differ_most_are_tried() -> None:
    folders = Grouping("folder", tuple("abcdefgh"), np.arange(8))
    seen = sightings({(0, label, label + 10): 12 for label in range(1, 9)}, [folders])
    assert len(seeds_of(seen, LabelSpec(20))) == 6


def test_the_two_smallest_groups_around_odd_files_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The groups that two odd files are in have two, four and six files."""
    monkeypatch.setattr("labelguard.explanations.seeds.differing", lambda _: [])
    monkeypatch.setattr("labelguard.explanations.seeds.without_gaps", lambda _: [])
    names = [Grouping(kind, ("in", "out"), np.array([0] * size + [1] * (4 - size)))
             for kind, size in (("folder", 1), ("prefix", 2), ("suffix", 3))]
    seen = sightings({(0, 1, 9): 2, (0, 1): 2, (0, 1, 2): 2, (0, 2): 2}, names)
    assert [part.num_files for part in seeds_of(seen, LabelSpec(3))] == [2, 4]


# --- parts ------------------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("kinds", "apart"), [(8, 8), (9, 1)])
def test_eight_kinds_of_files_are_judged_one_by_one(kinds: int, apart: int) -> None:
    part = whole(sightings({(0, label): 1 for label in range(1, kinds + 1)}))
    assert len(part.alike) == len(part.facing) == apart


def test_files_that_hold_an_id_hold_others_with_it_which_speaks_for_no_codes() -> None:
    """Indoors and outdoors, all multiplied by ten."""
    rng, sets = np.random.default_rng(5), Counter[tuple[int, ...]]()
    shares = rng.beta(0.5, 0.5, (2, 19))
    for file in range(250):
        classes = [0, *(label for label in range(1, 19) if rng.random() < shares[file % 2, label])]
        sets[tuple(10 * label for label in classes)] += 1
    best = accounts(sightings(sets), LabelSpec(19))[0]
    assert len(best.told) == 1 and best.told[0].explanation.cause == "factor"


@pytest.mark.parametrize("spec", [LabelSpec(), LabelSpec(4), LabelSpec(19, 255), LabelSpec(150)])
def test_what_is_asked_once_for_all_parts_with_the_same_ids_looks_at_nothing_else(spec: LabelSpec) -> None:
    for ids in ((0, 1, 2, 3), (0, 10, 20, 255), (0, 85, 170, 255), (3, 9, 200)):
        part: Any = SimpleNamespace(ids=ids)
        assert [each for family in search._OF_IDS for each in family(Case(part, spec))]

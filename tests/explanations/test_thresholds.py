"""The thresholds of the verdict: how sure it has to be of what."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from labelguard.explanations import decide, restoring
from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import VOID, CauseName
from labelguard.explanations.part import Part
from labelguard.explanations.search import Account
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset
from tests.explanations.made import account, sightings, told_as, whole

SPEC = LabelSpec(3)
SEEN = sightings({(0, 1): 9})
COUNTED = sightings({(1, 2, 3): 9})
UP = told_as(whole(COUNTED), {1: 0, 2: 1, 3: 2}, 3, "up")
INNOCENT = [told_as(whole(SEEN), {0: 0, 1: 1})]
GUILTY = [told_as(whole(SEEN), {0: 1, 1: 0}, cause="inverted")]


def judged(monkeypatch: pytest.MonkeyPatch, odds: float, other: Told) -> decide.Verdict:
    """The verdict on files that were counted from 1, where that has these odds against one other account."""
    rival = account([other], prior=log2(odds / (1 - odds)))
    monkeypatch.setattr(decide, "accounts", lambda *_: [account([UP]), rival])
    found = decide.weighed(COUNTED, SPEC)
    assert found is not None
    return found


@pytest.mark.parametrize(("odds", "certainty"), [(0.986, "certain"), (0.984, "likely"), (0.81, "likely"), (0.79, "undetermined")])
def test_how_sure_a_verdict_is_depends_on_the_odds(odds: float, certainty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(monkeypatch, odds, told_as(whole(COUNTED), {1: 1, 2: 2, 3: VOID}, 3, "factor"))
    assert found.certainty == certainty and found.mendable is (certainty == "certain")


@pytest.mark.parametrize(("odds", "mendable"), [(0.986, True), (0.984, False)])
def test_a_table_has_to_be_as_sure_as_its_cause(odds: float, mendable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(monkeypatch, odds, told_as(whole(COUNTED), {1: 0, 2: 1, 3: VOID}, 3, "up"))
    assert found.certainty == "certain" and len(found.odds) == 1 and found.mendable is mendable


@pytest.mark.parametrize(("odds", "one"), [(1.05e-6, True), (0.95e-6, False)])
def test_what_decodes_alike_is_one_cause_unless_it_is_negligible(odds: float, one: bool) -> None:
    found = decide._ranked([account([UP]), account([told_as(*UP[:1], UP.explanation.table, 3, "space")])], [1 - odds, odds])
    assert (len(found) == 1) is one


@pytest.mark.parametrize(("parts", "bits", "merged"), [(1, 4.9, True), (1, 5.1, False), (2, 11.9, True), (2, 12.1, False)])
def test_facts_have_to_speak_against_classes_that_were_put_together(parts: int, bits: float, merged: bool) -> None:
    """That it is rarer is no proof, and some files differ from the others by chance."""
    twice = account([told_as(*UP[:1], UP.explanation.table, 3, "reduced twice")], classes=bits, prior=20.0)
    assert decide._may_be_merged(account([UP] * parts), [twice]) is merged


def test_that_some_file_has_one_more_fate_does_not_put_classes_together() -> None:
    twice = account([UP, told_as(*UP[:1], UP.explanation.table, 3, "reduced twice")])
    assert not decide._may_be_merged(account([UP]), [twice]) and decide._may_be_merged(account([UP, UP]), [twice])


@pytest.mark.parametrize(("bits", "open_"), [(11.9, True), (12.1, False)])
def test_a_shifted_part_has_to_be_told_from_a_minus_1_over_class_0(bits: float, open_: bool) -> None:
    parts, table = [Part(SEEN, SEEN.files > 0)] * 2, {0: 0, 1: 1}
    shift, minus = ([told_as(parts[0], table), told_as(parts[1], table, 2, cause)] for cause in ("shift", "minus one"))
    for one, other in ((shift, minus), (minus, shift)):
        assert decide._may_be_class_0_alone(account(one), [account(one), account(other, classes=bits)]) is open_
    assert not decide._may_be_class_0_alone(account(shift[1:]), [account(minus[1:])])


@pytest.mark.parametrize("cause", ["more classes", "void"])
@pytest.mark.parametrize(("bits", "certainty"), [(4.9, "likely"), (5.1, "certain")])
def test_facts_have_to_speak_against_a_class_more_and_void_after_the_last(bits: float, certainty: str, cause: CauseName,
                                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    rival = account([told_as(whole(COUNTED), {1: 1, 2: 2, 3: 3}, 4, cause)], classes=bits, prior=10.0)
    monkeypatch.setattr(decide, "accounts", lambda *_: [account([UP]), rival])
    found = decide.weighed(COUNTED, SPEC)
    assert found is not None and found.certainty == certainty and found.mendable is (certainty == "certain")


@pytest.mark.parametrize(("files", "mended"), [(4, True), (3, False)])
def test_of_eight_files_some_may_be_told_from_the_others_by_what_they_hold(files: int, mended: bool) -> None:
    seen = sightings({(0, 1, 2): 4, (1, 2, 3): files})
    told = [told_as(Part(seen, np.array(chosen)), {label: label - by for label in range(by, 4)}, 3, cause)
            for chosen, by, cause in (([True, False], 0, "as declared"), ([False, True], 1, "up"))]
    assert restoring.restores(account(told), SPEC) is mended


@pytest.mark.parametrize(("spec", "mended"), [(LabelSpec(3, 255), True), (LabelSpec(), False)])
def test_a_shift_with_a_void_label_is_mended_where_one_is_declared(spec: LabelSpec, mended: bool) -> None:
    """Of two ids that wrapped, the lower one may as well have been a class, moved by 2."""
    seen = sightings({(0, 1, 254, 255): 9})
    shift = told_as(whole(seen), {0: 1, 1: 2, 254: VOID, 255: 0}, 3, "shift")
    assert restoring.restores(account([shift]), spec) is mended


@pytest.mark.parametrize(("highest", "weighed"), [(2 ** 63 - 1, True), (2 ** 63, False)])
def test_ids_that_no_signed_type_holds_are_not_weighed(highest: int, weighed: bool) -> None:
    data = dataset([np.array([[0, 1, highest]], np.uint64)])
    assert (decide.verdict_on(data, LabelSpec()) is not None) is weighed


# --- legal ids ----------------------------------------------------------------------------------------------------------------------------

def first(odds: float, which: float, how: float) -> Account:
    """What is said where the ids are as declared with these odds; which there are speaks for a fault, and how they look."""
    ranked = [(account(INNOCENT, classes=which, sizes=how), odds), (account(GUILTY), 1 - odds)]
    return decide._in_doubt(sorted(ranked, key=lambda each: -each[1]))[0][0]


@pytest.mark.parametrize(("odds", "spoken_of"), [(0.74, True), (0.76, False)])
def test_a_fault_of_legal_ids_is_spoken_of_where_its_odds_are_one_to_three(odds: float, spoken_of: bool) -> None:
    assert first(odds, 5.0, 5.0).is_as_declared is not spoken_of


@pytest.mark.parametrize(("which", "how", "spoken_of"), [(1.05, 9.0, True), (0.95, 9.0, False), (9.0, 1.05, True), (9.0, 0.95, False)])
def test_both_which_ids_there_are_and_how_they_look_have_to_speak_for_it(which: float, how: float, spoken_of: bool) -> None:
    assert first(0.1, which, how).is_as_declared is not spoken_of


def test_where_nothing_is_as_declared_the_likeliest_comes_first() -> None:
    other = account([told_as(whole(SEEN), {0: 0, 1: 1}, cause="more classes")])
    ranked = [(other, 0.6), (account(GUILTY), 0.4)]
    assert decide._in_doubt(ranked) == ranked


# --- how many words -------------------------------------------------------------------------------------------------------------------

def of_causes(*causes: str) -> tuple[Account, ...]:
    """An account for each cause."""
    return tuple(account([told_as(whole(SEEN), {0: place, 1: 1}, cause=cause)]) for place, cause in enumerate(causes))


@pytest.mark.parametrize(("odds", "named"), [(0.0055, True), (0.0045, False)])
def test_what_is_next_to_impossible_is_not_named(odds: float, named: bool) -> None:
    found = decide.Verdict(of_causes("inverted", "shift"), (1 - odds, odds), "undetermined", False)
    assert ("shift" in found.doubt) is named and "inverted" in found.doubt


def test_three_causes_are_named_at_most() -> None:
    found = decide.Verdict(of_causes("shift", "up", "void", "factor"), (0.25,) * 4, "undetermined", False)
    assert found.doubt == "shift, or up, or void" and found.hedged == "Perhaps shift, or up, or void: the ids do not settle it."


@pytest.mark.parametrize(("certainty", "words"), [
    ("certain", "Shift."), ("likely", "Most likely shift; it may also be that up."),
    ("undetermined", "Perhaps shift, or up: the ids do not settle it.")])
def test_a_sentence_leaves_open_what_the_odds_leave_open(certainty: decide.Certainty, words: str) -> None:
    assert decide.Verdict(of_causes("shift", "up"), (0.6, 0.4), certainty, False).hedged == words


# --- how much of the frame a background has ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("part", [True, False])
@pytest.mark.parametrize(("more", "has"), [(0.01, True), (-0.01, False)])
def test_a_background_has_most_of_the_frame_where_files_store_it_in_their_own_way(part: bool, more: float, has: bool) -> None:
    """Eight of ten pixels of it where only some files do, seven where all do."""
    share = (0.8 if part else 0.7) + more
    seen = sightings({(0, 255): 8, (0, 1): 8} if part else {(0, 255): 8})
    frame = np.round(1000 * np.where(seen.columns == 0, share, 1 - share)).astype(np.int64)
    seen = replace(seen, frame_pixels=frame, pixels=frame)
    told = told_as(whole(seen), {0: 0, 1: 1, 255: 1}, cause="binary")
    assert restoring._has_background(told) is has


@pytest.mark.parametrize(("share", "has"), [(0.51, True), (0.49, False)])
def test_a_background_has_half_of_the_area(share: float, has: bool) -> None:
    seen = sightings({(0, 255): 8})
    areas = np.round(1000 * np.where(seen.columns == 0, share, 1 - share)).astype(np.int64)
    seen = replace(seen, frame_pixels=np.array([9, 1]), pixels=areas)
    assert restoring._has_background(told_as(whole(seen), {0: 0, 255: 1}, cause="binary")) is has


# --- how far ids were moved -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("cause", ["up", "shift"])
@pytest.mark.parametrize(("by", "stored", "may_be_others"), [
    (2, (2, 3, 4, 5), False), (2, (3, 4, 5), True), (2, (2, 3, 4), True), (1, (1, 2, 3), False)])
def test_by_how_much_ids_were_moved_is_told_by_the_first_class_and_the_last(
        cause: CauseName, by: int, stored: tuple[int, ...], may_be_others: bool) -> None:
    """Nearly all shifts are by one; by more, a class that no file shows may be what moves the rest."""
    told = told_as(whole(sightings({stored: 9})), {label: label - by for label in stored}, 4, cause, amount=by)
    assert restoring._may_be_other_classes(told, LabelSpec(4)) is may_be_others


@pytest.mark.parametrize(("stored", "may_be_others"), [((252, 253, 254, 255), False), ((253, 254, 255), True)])
def test_that_ids_are_inverted_is_told_from_times_255_by_the_last_class(stored: tuple[int, ...], may_be_others: bool) -> None:
    told = told_as(whole(sightings({stored: 9})), {label: 255 - label for label in stored}, 4, "inverted", amount=255)
    assert restoring._may_be_other_classes(told, LabelSpec(4)) is may_be_others


def test_nobody_knows_the_last_class_where_none_is_declared() -> None:
    told = told_as(whole(sightings({(2, 3, 4): 9})), {2: 0, 3: 1, 4: 2}, 3, "up", amount=2)
    assert restoring._may_be_other_classes(told, LabelSpec())

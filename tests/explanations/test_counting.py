"""Ids without a gap: when objects, classes numbered anew, and classes that come one after the other are weighed at all."""

from __future__ import annotations

from collections import Counter
from math import log2

import pytest

from labelguard.explanations.columns import Told
from labelguard.explanations.counting import families, run_on, without_gaps
from labelguard.explanations.explanation import Case, Explanation
from labelguard.explanations.order import order_bits
from labelguard.explanations.sightings import Sightings
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import dataset, mask
from tests.explanations.made import sightings as seen
from tests.explanations.made import whole


def offered(*ends: int, spec: LabelSpec, others: tuple[tuple[int, ...], ...] = ()) -> dict[str, Explanation]:
    """What may have happened to files that hold 0 to some id each, by cause; of several of one cause, the last."""
    files = whole(seen(Counter([*(tuple(range(end + 1)) for end in ends), *others])))
    return {each.cause: each for each in families(Case(files, spec))}


@pytest.mark.parametrize(("ids", "other", "bits"), [
    ((0, 9, 30), (0, 30), 8),                                                                # each by itself
    ((*range(17), *range(18, 31)), tuple(range(31)), 8 - log2(0.05) - 29 * log2(0.95)),      # but for one, all up to the last one
])
def test_what_a_file_with_gaps_costs(ids: tuple[int, ...], other: tuple[int, ...], bits: float) -> None:
    one, two = (offered(30, 30, 30, spec=LabelSpec(2), others=((*each, 255),))["numbered"].own_bits or 0.0 for each in (ids, other))
    assert one - two == pytest.approx(bits)


def test_negative_ids_are_no_numbers() -> None:
    assert "numbered" not in offered(1, spec=LabelSpec(2), others=((-1, 0), (-2, -1, 0, 1)))


@pytest.mark.parametrize(("highest", "afresh"), [(63, True), (64, False)])
def test_classes_that_are_numbered_anew_never_go_beyond_the_number_of_classes(highest: int, afresh: bool) -> None:
    assert ("afresh" in offered(4, 5, spec=LabelSpec(), others=((0, highest),))) is afresh
    assert ("afresh" in offered(4, 5, spec=LabelSpec(64), others=((0, highest),))) is afresh


def test_void_that_nobody_declared_has_its_price_beside_numbers() -> None:
    plain, void = (offered(8, 5, spec=LabelSpec(3), others=others)["numbered"].bits for others in ((), ((0, 1, 255),)))
    assert void - plain == 6


@pytest.mark.parametrize(("files", "more"), [(5, True), (4, False)])
def test_more_files_without_gaps_than_by_chance_are_remarkable(files: int, more: bool) -> None:
    sets = {tuple(range(end + 1)): files for end in (1, 2, 3, 4)}
    assert run_on({label: files * min(4, 5 - label) for label in range(5)}, sets.items(), ()) is more


@pytest.mark.parametrize("sets", [
    {(0, 1, 2, 3, 4): 40},                       # one end
    {(0, 1, 2, 3): 20, (0, 1, 2): 20},           # few ids
    {(0, 1, 2, 3, 5): 20, (0, 1, 2): 20},        # a class that is nowhere
])
def test_what_is_not_remarkable(sets: dict[tuple[int, ...], int]) -> None:
    files_with = {label: sum(files for ids, files in sets.items() if label in ids) for label in {*sum(sets, ())}}
    assert not run_on(files_with, sets.items(), ())


@pytest.mark.parametrize(("gaps", "found"), [(2, [[True, True, True, False, False]]), (0, [])])
def test_files_without_gaps_are_a_part_of_their_own_only_beside_others(gaps: int, found: list[list[bool]]) -> None:
    sets = {(0, 1, 2, 3, 4): 36, (0, 1, 2, 3): 36, (0, 1, 2): 36, (0, 1): 36} | ({(0, 2, 4): gaps} if gaps else {})
    assert [rows.tolist() for rows in without_gaps(seen(sets))] == found


@pytest.mark.parametrize(("files", "found"), [(18, 0), (19, 1)])
def test_files_with_all_classes_are_no_sign_of_numbers(files: int, found: int) -> None:
    sets = {(0, 1, 2, 3, 4): 20, (0, 1, 2): files, (0, 2, 3): files, (0, 3, 4): files, (0, 1, 4): files, (0, 1): 2 * files}
    assert len(without_gaps(seen(sets))) == found


@pytest.mark.parametrize(("rows", "costs"), [
    (("1 2 3 4",), {"numbered": 0.74, "as declared": 4.62}),       # 19/22 and 9/13; (7/8 1/8 + 1/8 20/64) and 70/256
    (("4 3 2 1",), {"numbered": 11.12, "as declared": 4.62}),      # 1/20 2/21 3/22, and 9/13
    (("1 2 3 4",) * 9, {"numbered": 3.60, "as declared": 9.63}),   # such an order is no chance, but one of place
    (("1 2 3 4 5 6 7 8",) * 9, {"numbered": 5.28, "as declared": 12.73}),
])
def test_numbers_follow_each_other_from_the_top_left(rows: tuple[str, ...], costs: dict[str, float]) -> None:
    part = whole(Sightings.of(dataset([mask(row) for row in rows])))
    found = {cause: order_bits([Told(part, Explanation(cause, "", 0, {}, 5))]) for cause in costs}  # type: ignore[arg-type]
    assert found == pytest.approx(costs, abs=0.01)


def test_numbers_that_are_given_in_any_order_rise_half_of_the_time() -> None:
    told = [Told(whole(Sightings.of(dataset([mask("2 1 4 3 5")]))), Explanation("afresh", "", 0, {}, 6))]
    assert order_bits(told) == pytest.approx(4 - log2(63 / 256))

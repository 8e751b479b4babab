"""To which part of a set a file belongs, and how sure that has to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labelguard.explanations import sides
from labelguard.explanations.columns import Told
from labelguard.explanations.groups import Grouping
from labelguard.explanations.part import Part
from labelguard.explanations.sightings import NUM_SIZES, Sightings
from tests.explanations.made import sightings, told_as, whole

LEGAL, COUNTED = {label: label for label in range(4)}, {label: label - 1 for label in range(1, 5)}


def halves(seen: Sightings, other: dict[int, int] = COUNTED) -> list[Told]:
    return [told_as(Part(seen, np.array(chosen)), table, 4, cause)
            for chosen, table, cause in (([True, False], LEGAL, "as declared"), ([False, True], other, "up"))]


def doubtful(told: list[Told], bits: float, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The rows that are in doubt where a file fits its own part better by so many bits."""
    monkeypatch.setattr(sides, "_by_others", lambda _: np.full((2, 2, 2), bits))
    return sides.doubtful(told).tolist()


@pytest.mark.parametrize(("bits", "doubt"), [(6.1, False), (5.9, True)])
def test_a_file_has_to_fit_its_part_better_by_six_bits(bits: float, doubt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doubtful(halves(sightings({(1, 2, 3): 9, (1, 3): 9})), bits, monkeypatch) == [doubt, doubt]


def test_nothing_is_in_doubt_where_both_parts_would_move_the_ids_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doubtful(halves(sightings({(1, 2, 3): 9, (1, 3): 9}), LEGAL), 0.0, monkeypatch) == [False, False]


def test_nothing_is_in_doubt_where_both_parts_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = Grouping("folder", ("a", "b"), np.arange(2))
    assert doubtful(halves(sightings({(1, 2, 3): 9, (1, 3): 9}, [folders])), 0.0, monkeypatch) == [False, False]


@pytest.mark.parametrize(("together", "told"), [((), [True, True, False]), ((frozenset((0, 1)),), [False, True, True])])
def test_a_file_says_nothing_of_a_class_that_shares_its_id(together: tuple[frozenset[int], ...], told: list[bool]) -> None:
    explanation = told_as(whole(sightings({(0, 2): 9})), {0: 0, 2: 2}, 3, together=together).explanation
    assert [sides._is_told(column, explanation) for column in (1, 2, frozenset((0, 1)))] == told


def test_the_file_of_a_row_that_fits_worst_decides() -> None:
    """One of ten files in which 3 is as small as nothing else; on the average they fit well."""
    seen = sightings({(1, 2, 3): 9, (1, 3): 9})
    sizes = seen.sizes
    one = replace(seen, sizes=sizes._replace(rows=np.append(sizes.rows, 1), keys=np.append(sizes.keys, 2 * NUM_SIZES),
                                             files=np.append(sizes.files - (np.arange(len(sizes.files)) == 4), 1)))
    margins, before = (sides._margins(halves(each))[1, 1, 0] for each in (one, seen))
    assert margins < before


@pytest.mark.parametrize(("files", "alone"), [(32, True), (33, False)])
def test_a_file_does_not_speak_for_its_own_part_where_files_are_few(files: int, alone: bool) -> None:
    told = halves(sightings({(1, 2, 3): files, (1, 3): 32}))
    assert (not np.array_equal(sides._by_others(told), sides._margins(told))) is alone

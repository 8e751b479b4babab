"""LG304: height and width swapped."""

from __future__ import annotations

from labelguard.checks import transposed as check
from tests.checks.paired import photo, said_of, sized, turned
from tests.checks.scenes import on_dataset


def test_swapped_sides_are_named() -> None:
    finding, = said_of(check, {"a": (sized(60, 40), photo(40, 60)), "b": (sized(40, 60), photo(40, 60))}, pixels=False)
    assert finding.path == "a.png" and finding.message == "The mask is 60 x 40, its image 40 x 60 (height x width): swapped."


def test_an_orientation_that_only_mirrors_does_not_explain_it() -> None:
    assert len(said_of(check, {"a": (sized(60, 40), turned(3))})) == 1


def test_it_leaves_alone() -> None:
    assert on_dataset(check, []) == []
    couples = {"square": (sized(50, 50), photo(50, 50)), "turned": (sized(60, 40), turned(6)), "scaled": (sized(30, 20), photo(40, 60))}
    assert said_of(check, couples) == []

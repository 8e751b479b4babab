"""How many folders, ids and names a command may list."""

from __future__ import annotations

import pytest

from labelguard.checks._selecting import file_choice
from labelguard.facts.record import Ids
from labelguard.files.selection import Selection

MANY = 13  # names, more than a command lists


def options(wanted: dict[str, Ids], unwanted: dict[str, Ids]) -> tuple[str, ...] | None:
    """The names of the options that are used, each as often as it is."""
    found = file_choice(wanted, unwanted, [], Selection())
    return None if found is None else found.arguments[::2]


def in_folders(number: int, first: int = 0) -> dict[str, Ids]:
    """Many files in so many folders, which no name and no id tells from others."""
    return {f"{chr(97 + first + folder)}/{place}.png": (1, 2) for folder in range(number) for place in range(MANY)}


@pytest.mark.parametrize(("folders", "found"), [(4, ("--include",) * 4), (5, None)])
def test_four_folders_are_taken_by_name(folders: int, found: tuple[str, ...] | None) -> None:
    assert options(in_folders(folders), in_folders(6, 10)) == found


@pytest.mark.parametrize(("folders", "found"), [(4, ("--exclude",) * 4), (5, None)])
def test_four_folders_are_left_out_by_name(folders: int, found: tuple[str, ...] | None) -> None:
    assert options(in_folders(6, 10), in_folders(folders)) == found


def files(number: int, *ids: int, first: int = 0) -> dict[str, Ids]:
    """So many files, each named by a number and nothing else; each with an id of its own where none are given."""
    return {f"{first + 2 * place}.png": ids or (1, 10 + place) for place in range(number)}


@pytest.mark.parametrize(("ids", "found"), [(8, ("--holding",)), (9, ("--include",) * 9)])
def test_eight_ids_tell_files_from_others(ids: int, found: tuple[str, ...]) -> None:
    assert options(files(ids), files(MANY, 1, first=1)) == found


@pytest.mark.parametrize(("names", "found"), [(12, ("--include",) * 12), (13, None)])
def test_twelve_names_are_listed(names: int, found: tuple[str, ...] | None) -> None:
    assert options(files(names, 1, 2), files(MANY, 1, 2, first=1)) == found


@pytest.mark.parametrize(("names", "found"), [(12, ("--exclude",) * 12), (13, None)])
def test_twelve_names_are_left_out(names: int, found: tuple[str, ...] | None) -> None:
    assert options(files(MANY, 1, 2), files(names, 1, 2, first=1)) == found


def test_ids_tell_among_the_files_that_were_selected() -> None:
    wanted = {f"masks/{name}": ids for name, ids in files(MANY, 7).items()}
    unwanted: dict[str, Ids] = {f"masks/{name}": ids for name, ids in files(MANY, 1, first=1).items()}
    found = file_choice(wanted, unwanted, ["images/0.png"], Selection("masks/"))
    assert found is not None and found.arguments == ("--include", "masks/", "--holding", "7")
    assert found.takes("masks/0.png", (7,)) and not found.takes("images/0.png", (7,)) and not found.takes("masks/0.png", (1,))

"""What files have in common is said where it tells them from the others, and only there."""

from __future__ import annotations

from array import array

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord
from labelguard.facts.traits import common_trait


def record(path: str, shape: tuple[int, int] = (64, 64), encoding: str = "png, 8-bit grey") -> FileRecord:
    return FileRecord(path, shape, (0,), array("q", [4096]), encoding, exact=True)


def trait(records: list[FileRecord], chosen: slice | list[int]) -> str:
    some = records[chosen] if isinstance(chosen, slice) else [records[at] for at in chosen]
    return common_trait([each.path for each in some], DatasetFacts(records=tuple(records)))


HALVES = [record(f"{'ab'[number >= 10]}/{number}.png") for number in range(20)]


def test_a_folder_is_named_and_that_the_others_are_not_in_it() -> None:
    assert trait(HALVES, slice(10, 20)) == "all 10 are in b/, and none of the other 10"


def test_exceptions_on_either_side_are_counted() -> None:
    many = [record(f"{'ab'[number >= 40]}/{number}.png") for number in range(80)]
    assert trait(many, slice(42, 80)) == "all 38 are in b/, and 2 of the other 42"
    assert trait(many, [0, *range(40, 80)]) == "40 of the 41 are in b/, and none of the other 39"


def test_exceptions_beyond_a_tenth_leave_nothing_to_say() -> None:
    many = [record(f"{'ab'[number >= 40]}/{number}.png") for number in range(80)]
    assert trait(many, slice(44, 80)) and not trait(many, slice(45, 80))  # 36 and 35 of the 40 in b/
    assert trait(many, [*range(4), *range(40, 76)]) and not trait(many, [*range(5), *range(40, 76)])


def test_the_encoding_the_size_and_the_names_tell_files_too() -> None:
    for other, words in ((record("x.png", encoding="png, 8-bit palette"), "stored as png, 8-bit palette"),
                         (record("x.png", (32, 64)), "32 x 64")):
        plain = [record(f"{number}.png") for number in range(39)]
        assert trait([*plain, other], [39]) == f"the only one is {words}, and none of the other 39"
    names = [record(f"{number}{'_old' * (number % 2)}.png") for number in range(20)]
    assert trait(names, slice(1, 20, 2)) == "all 10 are named *_old.png, and none of the other 10"
    names = [record(f"{'val_' * (number % 2)}{number}.png") for number in range(20)]
    assert trait(names, slice(1, 20, 2)) == "all 10 are named val_*, and none of the other 10"


def test_the_innermost_folder_that_tells_is_named() -> None:
    deep = [record(f"x/y/{'ab'[number >= 10]}/{number}.png") for number in range(20)]
    assert trait(deep, slice(10, 20)) == "all 10 are in x/y/b/, and none of the other 10"


def test_what_chance_may_have_done_is_not_said() -> None:
    few = [record(f"{'ab'[number >= 3]}/{number}.png") for number in range(6)]
    assert not trait(few, slice(3, 6))  # one in 20
    assert trait([record(f"{'ab'[number >= 4]}/{number}.png") for number in range(8)], slice(4, 8))  # one in 70


def test_nothing_is_said_of_all_files_or_of_strangers() -> None:
    assert trait(HALVES, slice(0, 20)) == trait(HALVES, slice(0, 0)) == trait(HALVES, slice(0, 20, 2)) == ""
    assert common_trait(["b/10.png", "gone.png"], DatasetFacts(records=tuple(HALVES))) == ""

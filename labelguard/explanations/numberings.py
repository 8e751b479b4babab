"""The ids follow another numbering: a public one, or one of objects, or each file has its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd, log2

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.spec.label_spaces import spaces

_TO_A_CLASS = (1000, 65536, 256)
_CUT_VOIDS = range(255_000 % 65536, 255_000 % 65536 + 8)  # what void * 1000 + number is once it is cut to 16 bits
_SOME = 3           # ids, below which any numbering fits


def families(case: Case) -> Iterator[Explanation]:
    """Every public numbering in which all ids are classes, and every way to number objects."""
    if case.spec.declared and case.illegal and len(case.plain) >= _SOME:
        yield from _official(case)
        yield from _other(case)
    yield from _instances(case)


def _official(case: Case) -> Iterator[Explanation]:
    """Numberings with an official table to as many classes as are declared."""
    for space in spaces():
        for name, table in space.to.items():
            target = next(each for each in spaces() if each.name == name)
            steps = {None if (there := table.get(label)) is None else label - there for label in case.plain}
            if target.spec.num_classes == case.spec.num_classes and {*case.plain} - {255} <= {*table} and len(steps) > 1:
                yield Explanation("space", f"the ids are {space.title}", prior("space official"), *_moved(table, case))


def _moved(table: Mapping[int, int | None], case: Case) -> tuple[dict[int, int], int]:
    return case.moved(0, {label: VOID if (there := table.get(label)) is None else there for label in case.plain})


def _other(case: Case) -> Iterator[Explanation]:
    """Any other public numbering that is no subset of the declared ids."""
    bits = prior("space other") + log2(len(spaces()))
    for space in spaces():
        number = space.spec.num_classes
        known = any(name == each.name for name in space.to for each in spaces() if each.spec.num_classes == case.spec.num_classes)
        fits = {*case.plain} <= {*space.drawn, *space.spec.ignore_index}
        if number is not None and number != case.spec.num_classes and fits and not known:
            table, _ = case.moved(0, {label: VOID for label in case.ids if label in space.spec.ignore_index}, number)
            yield Explanation("space", f"the ids are {space.title}", bits, table, number, lost=len(space.unused), repairable=False)


def _instances(case: Case) -> Iterator[Explanation]:
    """Class and number of the object in one; it takes a code for whole numbers to say which objects there are (Elias 1975)."""
    if gcd(*case.plain) > 1:
        return  # objects are counted one by one: these are multiples of a number
    for size in _TO_A_CLASS:
        low, high = ([label for label in case.plain if (label >= size) == there] for there in (False, True))
        if not high or case.ids[0] < 0:
            continue
        void = {label: VOID for label in high if label // size == 255 or (size == 1000 and label in _CUT_VOIDS)}
        numbers = {label % size for label in high}
        of_zero = low if low and {*low} <= numbers and 0 not in numbers else []  # objects of class 0, since none has the number 0
        table = {label: label // size for label in high} | dict.fromkeys(of_zero, 0) | void
        bits = prior("instances") + sum(2 * log2(label % size + 1) + 1 for label in (*high, *of_zero))
        yield Explanation("instances", f"the ids are class * {size} + number of an object", bits, *case.moved(0, table), size)

"""Class and number of the object in one id, whole or cut to 8 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import gcd, log2

from labelguard.explanations.choices import choices
from labelguard.explanations.explanation import TOPS, VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.explanations.spaces import official_tables
from labelguard.facts.record import Ids

SIZES = (1000, 65536, 256)
_CUT_VOIDS = range(255_000 % 65536, 255_000 % 65536 + 8)  # what void * 1000 + number is once it is cut to 16 bits
_MOST_NUMBERS = 0.9  # of those that a class has room for
_MOST_CLASSES = 256


def families(case: Case) -> Iterator[Explanation]:
    """Every way to put class and number together, for the classes that are declared and for those of numberings that lead to them."""
    if not case.illegal or not case.plain or case.ids[0] < 0 or gcd(*case.plain) > 1:
        return  # objects are counted one by one: they are no multiples of a number
    for known in _class_tables(case):
        for size in SIZES:
            yield from _whole(size, known, case)
        yield from _cut(known, case)


def _class_tables(case: Case) -> Iterator[Mapping[int, int | None] | None]:
    """What a class of the ids is as a declared class: the same, or what an official table says."""
    yield None
    if case.spec.declared:
        yield from (table for _, _, table in official_tables(case.spec.num_classes))


def _class_of(label: int, known: Mapping[int, int | None] | None, case: Case) -> int | None:
    """The declared class, `VOID`, or None where there is none."""
    if known is not None:
        there = known.get(label, label)
        return (VOID if there is None else there) if label in known else None
    return label if case.spec.is_class(label) and label < _MOST_CLASSES else None


def _whole(size: int, known: Mapping[int, int | None] | None, case: Case) -> Iterator[Explanation]:
    """Ids from one size on are objects, those below are classes; or objects of class 0, since no object has the number 0."""
    void = {label: VOID for label in case.plain if label >= size and (label // size == 255 or (size == 1000 and label in _CUT_VOIDS))}
    low, high = ([label for label in case.plain if (label >= size) == there and label not in void] for there in (False, True))
    numbers = {label % size for label in high}
    if not high or max(numbers) > _MOST_NUMBERS * size or not any(numbers):
        return
    of_zero = low if low and {*low} <= numbers and 0 not in numbers else []
    classes = {label: label // size for label in (*high, *of_zero)}
    table = {label: _class_of(there, known, case) for label, there in ({label: label for label in low} | classes).items()}
    if None in table.values():
        return
    bits = prior("instances") + _of_numbers(classes, lambda label: label % size, case)
    example = high[-1]
    evidence = [f"{example} is object {example % size} of class {example // size}"]
    if of_zero:
        evidence.append(f"{', '.join(map(str, of_zero))} is taken for objects of class 0, since no object has the number 0")
    if void and size == 1000:
        evidence.append(f"{', '.join(map(str, void))} is void, 255 * 1000 and more")
    if known is not None:
        evidence.append("the classes themselves are numbered differently; the table moves them as well")
        bits += prior("space official")
    yield Explanation("instances", f"the ids are class * {size} + number of an object", bits,
                      *case.moved(0, {label: there for label, there in table.items() if there is not None} | void), size,
                      evidence=tuple(evidence))

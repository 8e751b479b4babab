"""All ids were moved by a number, or a -1 was written over class 0; below zero, unsigned integers wrap to the top of their type."""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.explanations.explanation import UNKNOWN, VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS

_FURTHEST = 3
_FEWEST = 2  # classes, of which one alone moved up is any object
_VOIDS = (255, 65535)


def families(case: Case) -> Iterator[Explanation]:
    """Down, up, and -1 over class 0."""
    for by in range(1, _FURTHEST + 1):
        yield from _down(by, case)
        yield from _up(by, case)
    yield from _minus_one(case)
    yield from _void_moved(case)
    yield from _reduced(case)
    yield from _filled(case)


def _wrapped(by: int, case: Case) -> dict[int, int]:
    """The ids that have wrapped when all were moved down, or went below zero, and what they were."""
    classes = case.spec.num_classes or TOPS[0] - _FURTHEST
    found = {label: label + by for label in range(-by, 0)}
    for top in TOPS:
        found |= {label: label + by - top - 1 for label in range(top - by + 1, top + 1) if label + by >= classes}
    return found


def _down(by: int, case: Case) -> Iterator[Explanation]:
    declared = tuple(label for label in case.spec.ignore_index if label >= 0)
    bits = prior("shift down") + (by - 1) * prior("shift down further")
    wrapped = _wrapped(by, case)
    if wrapped.keys().isdisjoint(case.ids) and not any(void - by in case.ids for void in (*declared, *_VOIDS)):
        return  # what was below went nowhere: nothing tells such a shift from other ids
    if not declared:
        yield Explanation("shift", f"the ids were shifted by -{by}", bits, *case.moved(by, wrapped), by)
    last = max((label for label in case.plain if label not in TOPS and label + by not in TOPS), default=0)
    if not case.spec.declared and last > by and {last, last - by}.isdisjoint({*wrapped, *case.ids} - {last}):
        yield Explanation("shift", f"the ids were shifted by -{by}, {last} excepted", bits + prior("last stays"),
                          *case.moved(by, wrapped | {last: last}), by)
    for void in dict.fromkeys((*declared, *_VOIDS)):
        more = 0.0 if void in declared else prior("void undeclared" if case.spec.declared else "void unsaid")
        for stored, extra, how in ((void - by, 0.0, "with them"), (void, prior("void stays"), "excepted")):
            unseen = void in declared and stored != void and not (by == 1 and void in case.ids)  # else zero was reduced: see below
            if stored in case.ids or unseen:
                yield Explanation("shift", f"the ids were shifted by -{by}, the void label {void} {how}", bits + more + extra,
                                  *case.moved(by, wrapped | {stored: VOID}), by)


def _up(by: int, case: Case) -> Iterator[Explanation]:
    bits = prior("shift up") + (by - 1) * prior("shift up further")
    yield Explanation("up", f"the labels start at {by}", bits, *case.moved(-by), by)
    for void in _VOIDS:
        if void in case.illegal:
            words = f"the labels start at {by}, and {void} is a void label that is not declared"
            yield Explanation("up", words, bits + prior("void undeclared"), *case.moved(-by, {void: VOID}), by)
    if by == 1 and 0 in case.plain:
        words = "0 is what is not labeled, and the classes start at 1"
        more = prior("mostly void") * case.mostly((0,)) + prior("void undeclared") * (case.spec.declared and not case.spec.ignore_index)
        yield Explanation("void first", words, prior("void first") + more, *case.moved(-1, {0: VOID}))
        yield from _wrapped_void(bits, case)


def _wrapped_void(bits: float, case: Case) -> Iterator[Explanation]:
    """Moved up by one with the void label, which wrapped to 0."""
    for void in _VOIDS:
        if void not in case.ids:
            more = 0.0 if void in case.spec.ignore_index else prior("void undeclared" if case.spec.declared else "void unsaid")
            yield Explanation("up", f"the labels start at 1, and the void label {void} went along and wrapped to 0",
                              bits + prior("void went along") + more, *case.moved(-1, {0: VOID}), 1)


def _minus_one(case: Case) -> Iterator[Explanation]:
    for label in case.illegal:
        if label in (-1, *TOPS):
            yield Explanation("minus one", f"{label} is a -1 that was written over class 0", prior("minus one"),
                              *case.moved(0, {label: 0, 0: UNKNOWN}), label)


def _void_moved(case: Case) -> Iterator[Explanation]:
    """Classes that were rightly moved down, and a void label that was moved along."""
    for void in _VOIDS:
        if void - 1 in case.illegal and void not in case.ids:
            bits = prior("shift down") + prior("void undeclared") * (void not in case.spec.ignore_index)
            yield Explanation("void moved", f"{void - 1} is the void label {void}, moved along with the ids", bits,
                              *case.moved(0, {void - 1: VOID}), void)


def _filled(case: Case) -> Iterator[Explanation]:
    """Files of one id beyond the last class: each class was moved up after the one before it, which came along; or nothing is labeled."""
    number = case.spec.num_classes
    if number is not None and number > _FEWEST and case.plain == (number,):
        table, _ = case.moved(0, {number: number - 1})
        words = f"{number} fills whole files, as where ids are moved up one after the other, or where nothing is labeled"
        yield Explanation("filled", words, prior("filled"), table, number, number, frozenset((number,)), lost=number - 1, alike=True,
                          together=(frozenset(range(number)),))


def _reduced(case: Case) -> Iterator[Explanation]:
    """Zero made void once too often, or a -1 that wrapped into the void label: what was class 0 is void now, and all else one lower."""
    spec = case.spec
    for void in _VOIDS:
        if void in case.ids and not spec.is_class(void) and spec.num_classes is not None and spec.num_classes > 2:
            more, mixed = (0.0, frozenset((void,))) if void in spec.ignore_index else (prior("void besides"), frozenset[int]())
            either = ", or the ids were shifted by -1" * (void in spec.ignore_index)  # else that is told by itself
            words = f"zero was reduced without need{either}, and {void} holds class 0"
            yield Explanation("zero reduced", words, prior("zero reduced") + more, *case.moved(1, {void: 0}), void, mixed)
            for first in (0, 1):  # of which it may hold one alone in files that lack the other
                yield Explanation("reduced twice", f"zero was reduced twice, and {void} holds 0 and 1", prior("reduced twice") + more + 1,
                                  *case.moved(2, {void: first}), void, frozenset((void,)), lost=1,
                                  together=(frozenset((0, 1)),))

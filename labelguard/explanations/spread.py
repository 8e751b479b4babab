"""Ids were multiplied or spread over the type to be visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import gcd, log2

from labelguard.explanations.explanation import VOID, Case, CodedIds, Explanation
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.record import Ids

_FOR_TWO = 255       # shows two classes as black and white, and turns any other id x of 8 bits into -x
_LEAST_NEARLY = 4    # codes, since fewer are on a line by chance
_LEAST_STEP = 6      # of a line: with smaller ones, any codes are on it, give or take one
_MOST_CLASSES = 64   # that somebody spreads out to be visible
_BYTE = 256          # ids of 8 bits
_LEAST_TOLD = 12.0   # bits by which ids have to tell a table from any others: about so many tables are tried


def families(case: Case) -> Iterator[Explanation]:
    """Only where they explain every id; an undeclared void label only where it is none of the codes."""
    if not case.illegal or case.spec.num_classes == 2:
        return  # two classes are seen to by `binary`
    for ids in case.coded:
        if ids.telling:
            yield from _factor(ids, case)
            yield from _clipped(ids, case)
            yield from _levels(ids, case)
            yield from _nearly(ids, case)
            yield from _overflow(ids, case)


def _factor(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    factor = gcd(*ids.codes)
    if factor < 2:
        return
    for first in (0, 1)[:1 + (ids.codes[0] > 0)]:
        table, number = case.moved(0, {code: code // factor - first for code in ids.codes} | ids.voids)
        if number > _MOST_CLASSES and not case.spec.declared:
            return
        fits = ids.codes[-1] > TOPS[0] or factor * (number - 1 + first) <= TOPS[0]  # else the last classes would have left the type
        bits = prior("factor") + log2(factor) + ids.bits + prior("factor too large") * (not fits) + first * prior("shift up")
        both = frozenset(label for label in ids.voids if label % factor == 0 and 0 <= label // factor - first < number)
        if ids.undeclared in both:
            return
        words = f"the ids were multiplied by {factor}{', counted from 1' * first}{ids.words}"
        yield Explanation("factor", words, bits, table, number, factor, both, lost=len(both), repairable=fits and not first)


def _clipped(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    """Multiplied by a factor that leaves 8 bits, and cut at 255: the last classes may be one there, and void with them."""
    top = TOPS[0]
    below = [code for code in ids.codes if code < top]
    factor = gcd(*below)
    if factor < 2 or len(below) < 2 or top not in case.ids or ids.bits:
        return
    first = -(-top // factor)  # the first class that is cut
    number = case.spec.num_classes or first + 1
    if first < number <= _MOST_CLASSES and below[-1] < top:
        cut = number - first + (top in ids.voids)
        words = f"the ids were multiplied by {factor} and cut at {top}"
        yield Explanation("factor", words, prior("factor clipped") + log2(factor), {code: code // factor for code in below} | {top: first},
                          number, factor, frozenset((top,) * (cut > 1)), lost=cut - 1,
                          together=(frozenset(range(first, number)),) * (first < number - 1))


def _overflow(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    """Multiplied by a factor that leaves 8 bits; the void labels with them, or not."""
    spec = case.spec
    if not 0 <= case.ids[0] <= case.ids[-1] < _BYTE:
        return
    ignored = [label for label in spec.ignore_index or TOPS[:1] * (not spec.declared) if 0 <= label < _BYTE]
    for factor, number in _factors(ids.codes, spec.num_classes):
        label_of = _products(factor)
        bits = prior("factor 255") if factor == _FOR_TWO else prior("factor overflow") + 8
        words = f"the ids were multiplied by {factor}, beyond what 8 bits hold"
        moved = {void * factor % _BYTE: VOID for void in ignored}
        along = {code: label for code in case.ids if (label := label_of[code] if label_of[code] < number else moved.get(code)) is not None}
        if not ids.bits and len(along) == len(case.ids) and (ids.voids or VOID in along.values()):
            both = frozenset(code for code in case.ids if code in moved and along[code] != VOID)
            yield Explanation("factor", words, bits + prior("void unsaid") * (not spec.declared), along, number, factor, both,
                              lost=0, repairable=spec.declared)
        if all(label_of[code] < number for code in ids.codes) and (ids.undeclared is None or label_of[ids.undeclared] >= number):
            both = frozenset(label for label in ids.voids if 0 <= label < _BYTE and label_of[label] < number)
            table = {code: label_of[code] for code in ids.codes} | ids.voids
            yield Explanation("factor", f"{words}{ids.words}", bits + ids.bits, table, number, factor, both, lost=len(both),
                              repairable=spec.declared or len(ids.codes) == number)


def _factors(codes: Ids, declared: int | None) -> Iterator[tuple[int, int]]:
    """The factors that may have left 8 bits, each with the number of classes: as declared, or as many as make these codes."""
    for factor in range(2, _BYTE):
        void = TOPS[0] * factor % _BYTE  # where it was multiplied too
        number = declared or max((_products(factor)[code] for code in codes if code != void), default=0) + 1
        if factor * number > _BYTE and number <= (_BYTE // gcd(factor, _BYTE) if declared else _MOST_CLASSES):
            yield factor, number


@cache
def _products(factor: int) -> tuple[int, ...]:
    """(256,) the lowest id whose product each number of 8 bits is; 256 where there is none."""
    found = [_BYTE] * _BYTE
    for label in reversed(range(_BYTE)):
        found[label * factor % _BYTE] = label
    return tuple(found)


def may_be_chance(explanation: Explanation) -> bool:
    """Whether so few ids, or so many classes, come from some table of this kind by chance: each id of a type is in it as often as there
    are classes, and about as many tables were tried as there are ids."""
    codes = [label for label, there in explanation.table.items() if there != label and not (there == VOID and label in TOPS)]
    if explanation.cause in ("levels", "factor") and gcd(*(there for there in explanation.table.values() if there > 0)) > 1:
        return True  # every second class, or third: as many classes in larger steps are told as well
    size = _BYTE if max(codes, default=0) < _BYTE else _BYTE ** 2
    return len(codes) * log2(size / min(size, explanation.num_classes)) < _LEAST_TOLD


def _nearly(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    """In steps of nearly one size, from wherever: rounded places on a line, as a formula of somebody's own leaves them.

    The classes in between are missing; which is the first one is not known.
    """
    codes, number = ids.codes, case.spec.num_classes or 0
    if not _LEAST_NEARLY <= len(codes) <= number <= _MOST_CLASSES or codes[-1] > TOPS[0]:
        return
    for last in range(len(codes) - 1, number):
        step = (codes[-1] - codes[0]) / last
        places = [round((code - codes[0]) / step) for code in codes]
        if step < _LEAST_STEP:
            return
        if len({*places}) == len(codes) and _on_a_line(codes, places):
            bits = prior("levels") + prior("levels on a line") + log2(number - len(codes) + 1) + ids.bits
            yield Explanation("levels", f"the ids were spread in steps of about {step:.3g}{ids.words}", bits,
                              dict(zip(codes, places, strict=True)) | ids.voids, number, repairable=False)
            return


def _on_a_line(codes: Sequence[int], places: Sequence[int]) -> bool:
    """Whether some line passes each code at less than a half, so that rounding its heights gives them: no two need different slopes."""
    pairs = [(codes[b] - codes[a], places[b] - places[a]) for b in range(len(codes)) for a in range(b)]
    return max((rise - 1) / run for rise, run in pairs) < min((rise + 1) / run for rise, run in pairs)


@cache
def _scales(number: int) -> tuple[tuple[int, dict[int, int]], ...]:
    """Ways to spread so many classes over 8 or 16 bits: the top of the type, and for each code its class."""
    found: dict[tuple[int, ...], int] = {}
    for top in (255, 65535):
        for whole, parts in ((top, number - 1), (top, number), (top + 1, number), (top + 1, number - 1)):
            for exact in ([label * whole / parts for label in range(number)], [label * (whole / parts) for label in range(number)]):
                for rounded in (0.5, 0.0, 0.999999):
                    found.setdefault(tuple(min(top, int(code + rounded)) for code in exact), top)
                found.setdefault(tuple(min(top, round(code)) for code in exact), top)  # halves to even numbers
    return tuple((top, {code: label for label, code in enumerate(codes)}) for codes, top in found.items() if len(set(codes)) == number)


def _levels(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    numbers = [case.spec.num_classes] if case.spec.num_classes is not None else range(3, _MOST_CLASSES + 1)
    for number in numbers:
        bits = prior("levels") + prior("levels too close") * (number > _MOST_CLASSES) + log2(len(numbers)) + ids.bits
        for top, table in _scales(number) if 1 < number <= 256 else ():
            if ids.undeclared not in table and table.keys() >= {*ids.codes} and (case.spec.declared or ids.codes[-1] == max(table)):
                both = frozenset(label for label in ids.voids if label in table)  # void, or a class that was spread there
                yield Explanation("levels", f"the ids were spread evenly over 0-{top}{ids.words}", bits,
                                  {code: table[code] for code in ids.codes} | ids.voids, number, top, both, lost=len(both))

"""Ids were multiplied or spread over the type to be visible, or are codes without a rule, in the order of the classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb, gcd, log2

from labelguard.explanations.explanation import TOPS, VOID, Case, Explanation
from labelguard.explanations.priors import prior

_FEWEST = 2          # codes besides 0: one alone is a multiple of something
_FOR_TWO = 255       # shows two classes as black and white, and turns any other id x of 8 bits into -x
_MOST_CLASSES = 64   # that somebody spreads out to be visible


def families(case: Case) -> Iterator[Explanation]:
    """Only where they explain every id."""
    codes = case.plain
    if sum(code > 0 for code in codes) < _FEWEST or codes[0] < 0 or not case.illegal or case.spec.num_classes == 2:
        return  # two classes are seen to by `binary`
    yield from _factor(codes, case)
    yield from _overflow(codes, case)
    yield from _levels(codes, case)
    yield from _in_order(codes, case)


def _with_void(table: dict[int, int], case: Case) -> dict[int, int]:
    return table | {label: VOID for label in case.ids if label in case.spec.ignore_index}


def _factor(codes: tuple[int, ...], case: Case) -> Iterator[Explanation]:
    factor = gcd(*codes)
    table, number = case.moved(0, {code: code // factor for code in codes})
    if factor > 1 and number <= _MOST_CLASSES + 1000 * case.spec.declared:
        yield Explanation("factor", f"the ids were multiplied by {factor}", prior("factor") + log2(factor), table, number, factor)


def _overflow(codes: tuple[int, ...], case: Case) -> Iterator[Explanation]:
    """Multiplied by a factor that leaves 8 bits."""
    number = case.spec.num_classes
    if number is None and codes[-1] < 256:
        number = max((256 - code for code in codes if code > 1), default=0) + 1  # as many as the factor 255 leaves; it turns 255 into 1
    if number is None or not 1 < number <= _MOST_CLASSES or codes[-1] > 255:
        return
    for factor in range(256 // number + 1, 256) if case.spec.declared else (_FOR_TWO,):
        table = {label * factor % 256: label for label in range(number)}
        along = {void * factor % 256: VOID for void in case.spec.ignore_index or TOPS[:1] * (not case.spec.declared) if void >= 0} | table
        for ids, there in ((codes, table), *([(case.ids, along)] if case.plain != case.ids or len(along) > number else [])):
            if len(table) < number or not set(ids) <= set(there):
                continue
            kept = {code: there[code] for code in ids}
            bits = prior("factor 255") if factor == _FOR_TWO else prior("factor overflow") + 8
            decoded = kept if there is along else _with_void(kept, case)
            yield Explanation("factor", f"the ids were multiplied by {factor}, which leaves 8 bits", bits, decoded, number, factor)


@cache
def _scales(number: int) -> tuple[tuple[int, dict[int, int]], ...]:
    """Ways to spread so many classes over 8 or 16 bits: the top of the type, and for each code its class."""
    found: dict[tuple[int, ...], int] = {}
    for top in (255, 65535):
        for step in (top / (number - 1), top / number, (top + 1) / number, (top + 1) / (number - 1)):
            for rounded in (0.5, 0.0, 0.999999):
                codes = tuple(min(top, int(label * step + rounded)) for label in range(number))
                found.setdefault(codes, top)
            found.setdefault(tuple(min(top, round(label * step)) for label in range(number)), top)  # halves to even numbers
    return tuple((top, {code: label for label, code in enumerate(codes)}) for codes, top in found.items() if len(set(codes)) == number)


def _levels(codes: tuple[int, ...], case: Case) -> Iterator[Explanation]:
    numbers = [case.spec.num_classes] if case.spec.num_classes is not None else range(3, _MOST_CLASSES + 1)
    ways = [(number, top, table) for number in numbers if 1 < number <= 256 for top, table in _scales(number) if set(codes) <= set(table)]
    for number, top, table in ways:
        kept = {code: table[code] for code in codes}
        yield Explanation("levels", f"the ids were spread over 0-{top}", prior("levels") + log2(len(numbers)), _with_void(kept, case),
                          number, top)


def _in_order(codes: tuple[int, ...], case: Case) -> Iterator[Explanation]:
    """Codes without a rule: one for each declared class, or chosen so on purpose where nothing is declared."""
    number = case.spec.num_classes
    if codes[-1] > 65535 or (number is not None and len(codes) != number):
        return
    top, table = 255 if codes[-1] < 256 else 65535, {code: place for place, code in enumerate(codes)}
    if number is None:
        bits = prior("as declared") + prior("chosen codes") + log2(comb(top, len(codes) - (0 in codes)))
        yield Explanation("as declared", "ids were chosen with gaps", bits, _with_void(table, case), len(codes), repairable=False)
    else:
        yield Explanation("in order", "the ids are codes for the classes, in their order", prior("in order") + log2(comb(top, number)),
                          _with_void(table, case), number, repairable=False)

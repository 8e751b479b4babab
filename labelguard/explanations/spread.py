"""Ids were multiplied or spread over the type to be visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import gcd, log2

from labelguard.explanations.explanation import VOID, Case, CodedIds, Explanation
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS

_FOR_TWO = 255       # shows two classes as black and white, and turns any other id x of 8 bits into -x
_LEAST_NEARLY = 4    # codes, since fewer are on a line by chance
_LEAST_STEP = 6      # of a line: with smaller ones, any codes are on it, give or take one
_MOST_CLASSES = 64   # that somebody spreads out to be visible


def families(case: Case) -> Iterator[Explanation]:
    """Only where they explain every id."""
    if not case.illegal or case.spec.num_classes == 2:
        return  # two classes are seen to by `binary`
    for ids in case.coded:
        if ids.telling:
            yield from _factor(ids, case)
            yield from _clipped(ids, case)
            yield from _levels(ids, case)
            yield from _nearly(ids, case)
    if case.coded[0].telling:
        yield from _overflow(case.coded[0], case)


def _factor(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    factor = gcd(*ids.codes)
    table, number = case.moved(0, {code: code // factor for code in ids.codes} | ids.voids)
    if factor > 1 and number <= _MOST_CLASSES + 1000 * case.spec.declared:
        fits = ids.codes[-1] > TOPS[0] or factor * (number - 1) <= TOPS[0]  # else the last classes would have left the type
        bits = prior("factor") + log2(factor) + ids.bits + prior("factor too large") * (not fits)
        yield Explanation("factor", f"the ids were multiplied by {factor}{ids.words}", bits, table, number, factor, repairable=fits)


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
                          number, factor, frozenset((top,) * (cut > 1)), lost=cut - 1)


def _overflow(ids: CodedIds, case: Case) -> Iterator[Explanation]:
    """Multiplied by a factor that leaves 8 bits."""
    codes, number = ids.codes, case.spec.num_classes
    if number is None and codes[-1] < 256:
        number = max((256 - code for code in codes if code > 1), default=0) + 1  # as many as the factor 255 leaves; it turns 255 into 1
    if number is None or not 1 < number <= _MOST_CLASSES or codes[-1] > 255:
        return
    for factor in range(256 // number + 1, 256) if case.spec.declared else (_FOR_TWO,):
        table = {label * factor % 256: label for label in range(number)}
        along = {void * factor % 256: VOID for void in case.spec.ignore_index or TOPS[:1] * (not case.spec.declared) if void >= 0} | table
        for some, there in ((codes, table), *([(case.ids, along)] if case.plain != case.ids or len(along) > number else [])):
            if len(table) < number or not set(some) <= set(there):
                continue
            kept = {code: there[code] for code in some}
            bits = prior("factor 255") if factor == _FOR_TWO else prior("factor overflow") + 8
            decoded = kept if there is along else kept | ids.voids
            yield Explanation("factor", f"the ids were multiplied by {factor}, beyond what 8 bits hold", bits, decoded, number, factor,
                              repairable=case.spec.declared or len(codes) == number)


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
    bits = prior("levels") + log2(len(numbers)) + ids.bits
    for number in numbers:
        for top, table in _scales(number) if 1 < number <= 256 else ():
            if set(ids.codes) <= set(table) and ids.undeclared not in table:
                both = frozenset(label for label in ids.voids if label in table)  # void, or a class that was spread there
                yield Explanation("levels", f"the ids were spread evenly over 0-{top}{ids.words}", bits,
                                  {code: table[code] for code in ids.codes} | ids.voids, number, top, both, lost=len(both))

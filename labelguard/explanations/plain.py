"""The ids are what is declared, or nearly: more classes, a void label or a cut sentinel that nobody declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log2

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS

_MOST_ODD = 16
_SENTINELS = {-100: "sentinel known", -9999: "sentinel nodata", **dict.fromkeys((-99, -9, -999, -1000, -32768), "sentinel other")}


def as_declared(case: Case) -> Explanation:
    """Nothing happened: classes are classes, and what is declared to be ignored is void."""
    words = "the ids are as declared" if case.spec.declared else "every id is a class"
    return Explanation("as declared", words, prior("as declared"), *case.moved())


def other_scenes(found: Explanation) -> Explanation:
    """Nothing happened, but these files show other things than the rest."""
    return replace(found, words=f"{found.words}, and show other scenes", bits=found.bits + prior("other scenes"), apart=True)


def families(case: Case) -> Iterator[Explanation]:
    """As declared, with one strange id or a few more classes at most."""
    yield as_declared(case)
    odd = [label for label in case.illegal if len(case.illegal) <= _MOST_ODD or label in TOPS]  # of more of them, none explains the rest
    for label in odd:
        yield from _void(label, case)
        yield from sentinels(label, case)
    yield from _more_classes(case)


def _void(label: int, case: Case) -> Iterator[Explanation]:
    name = "void negative" if label in (-1, -100) else f"void {label}" if label in (255, 65535, 254) else "void other"
    bits = prior(name) + prior("void besides") * bool(case.spec.ignore_index)
    words = f"{label} is a void label that is not declared"
    yield Explanation("void", words, bits, *case.moved(0, {label: VOID}), label)
    if label in TOPS:
        bits = prior("void for background") + prior("void undeclared") * case.spec.declared
        yield Explanation("void", words, bits, *case.moved(0, {label: VOID}), label, frozenset((label,)),
                          lost=int(0 not in case.ids))


def sentinels(label: int, case: Case, more: float = 0.0, num_classes: int | None = None) -> Iterator[Explanation]:
    """What negative numbers an id may have been; where fewer classes than declared are in use, `more` bits say so."""
    for number, name in _SENTINELS.items():
        if any(number % (top + 1) == label > top // 2 for top in TOPS):  # in the lower half they are 24 or 25, which may be classes
            yield Explanation("sentinel", f"{label} is a {number} that was cut to an unsigned type", prior(name) + more,
                              *case.moved(0, {label: VOID}, num_classes), number)


def _more_classes(case: Case) -> Iterator[Explanation]:
    declared = case.spec.num_classes
    number = max((label for label in case.plain if label not in TOPS), default=0) + 1
    if declared is not None and number > declared:
        more = number - declared
        bits = (prior("more classes") + prior("more classes further") * log2(more) + prior("more classes without 0") * (0 not in case.ids)
                + prior("more classes named") * bool(case.spec.names))
        yield Explanation("more classes", f"there are {number} classes", bits, *case.moved(0, num_classes=number), more)

"""The ids are codes with gaps: chosen so, or standing for the declared classes in their order."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, gcd, log2

from labelguard.explanations.explanation import Case, CauseName, CodedIds, Explanation
from labelguard.explanations.priors import prior
from labelguard.facts.record import Ids


def families(case: Case) -> Iterator[Explanation]:
    """Any ids at all, which is what other explanations of them have to beat."""
    if not case.illegal or case.spec.num_classes == 2:
        return
    for ids in case.coded:
        codes = ids.codes
        if ids.telling and codes[-1] < 65536:
            choices = _choices(codes) + ids.bits
            if not case.spec.declared:
                yield from _chosen(ids, choices)
            elif len(codes) <= (number := case.spec.num_classes or 0):
                table = {code: place for place, code in enumerate(codes)} | ids.voids
                how = "the classes, in their order" if len(codes) == number else f"{len(codes)} of the classes"
                yield Explanation("in order", f"the ids are codes for {how}{ids.words}", prior("in order") + choices, table, number,
                                  repairable=False, apart=len(codes) < number)


def _choices(codes: Ids) -> float:
    """The bits that say which codes: any of the type, or any up to the highest, a whole number (Elias 1975, gamma code)."""
    top, number = codes[-1], len(codes) - (0 in codes)
    return min(log2(comb(255 if top < 256 else 65535, number)), 2 * log2(top) + 1 + log2(comb(top - 1, number - 1)))


def _chosen(ids: CodedIds, choices: float) -> Iterator[Explanation]:
    """On purpose, where nobody says what the ids are: with gaps of one size, or any. They are the classes, as they stand."""
    table = {code: code for code in ids.codes} | ids.voids
    bits, step = prior("as declared"), gcd(*ids.codes)
    cause: CauseName = "as declared" if ids.undeclared is None else "void"
    amount = ids.undeclared or 0
    yield Explanation(cause, f"ids were chosen with gaps{ids.words}", bits + prior("chosen codes") + choices, table,
                      len(ids.codes), amount, repairable=False, apart=True)  # which of the classes of other files they are, nobody says
    if step > 1:
        yield Explanation(cause, f"ids were chosen in steps of {step}{ids.words}",
                          bits + prior("chosen steps") + log2(step) + ids.bits, table, ids.codes[-1] // step + 1, amount,
                          repairable=False)

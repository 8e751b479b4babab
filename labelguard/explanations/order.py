"""How the ids lie that run from 1 without a gap: one after the other and compact, as objects that were counted, or as it comes."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log, log2

import numpy as np

from labelguard.explanations.columns import Told

_BY_PLACE = 5.0         # bits: one set in 32 has all its classes in an order of place, as layers from the top down and nested grades
_RISING = (19.0, 1.0)   # numbers that were given from the top left follow each other there, but for a class that is counted after another
_COMPACT = (9.0, 1.0)   # single objects fill their boxes, mostly


def order_bits(told: Sequence[Told]) -> float:
    """The bits that say, of all ids that run from 1 without a gap, which begin after the one before, and which fill their boxes.

    Numbers of objects do so mostly, and numbers that are given to the classes of a file in whatever order half of the time. Classes begin
    in an order of their own, all alike or mostly by chance (beta-binomial columns; Krichevsky and Trofimov 1981 for classes).
    """
    bits, classes, most = 0.0, np.zeros(4, np.int64), 0
    for part, explanation in told:
        pairs, rises, ids, compact = part.numbered.tolist()
        if explanation.cause == "numbered":
            bits += _column(rises, pairs, *_RISING) + _column(compact, ids, *_COMPACT)
        elif explanation.cause == "afresh":
            bits += pairs
            classes += (0, 0, ids, compact)
        else:
            classes += part.numbered
            most = max(most, len([label for label in part.ids if label > 0]))
    pairs, rises, ids, compact = classes.tolist()
    ordered = min(_BY_PLACE, max(1, most - 1))  # or they come so, one bit for each that has one before it
    by_chance, by_place = pairs - log2(1 - 2 ** -ordered), _column(rises, pairs, 0.5, 0.5) + ordered
    return bits + _column(compact, ids, 0.5, 0.5) - float(np.logaddexp2(-by_chance, -by_place))


def _column(some: int, number: int, a: float, b: float) -> float:
    """-log2 B(a + k, b + n - k) / B(a, b)."""
    def beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)
    return (beta(a, b) - beta(a + some, b + number - some)) / log(2)

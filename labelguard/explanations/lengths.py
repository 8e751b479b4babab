"""Lengths: how many bits an explanation needs to tell which ids stand in which files, term by term.

The length of a message that tells the facts is minus log2 of their probability, so that the shortest explanation is the likeliest
(Rissanen 1978, "Modeling by shortest data description"). Stored ids are decoded by the table of their part and counted over all parts
together; then every class that there is makes a column, in so many of all files or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import exp2, lgamma, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.explanations import priors
from labelguard.explanations.explanation import TOPS, UNKNOWN, VOID, Explanation
from labelguard.explanations.sightings import Part, Sightings
from labelguard.facts.ambiguous_ids import is_expected
from labelguard.spec.labelspec import LabelSpec

_MEANS = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)  # shares of the files that hold a class
_PRECISIONS = (0.6, 2.0, 8.0, 32.0)                           # how much classes have of that share in common
_LEAST_CORE = 0.01
_LEAST_SHARE = 0.03  # no density is below it: no share of the frame is impossible


class Told(NamedTuple):
    """Some files, and what is said to have happened to their ids."""

    part: Part
    explanation: Explanation


def length(told: Sequence[Told], seen: Sightings, spec: LabelSpec) -> dict[str, float]:
    """The bits of each term; their sum is the length of the explanation of the whole set."""
    columns = [_columns(part, explanation) for part, explanation in told]
    classes: dict[int, int] = {}
    voids: dict[int, int] = {}
    unknown: dict[int, int] = {}
    for found in columns:
        for kind, counts in zip((classes, voids, unknown), found, strict=True):
            for label, number in counts.items():
                kind[label] = kind.get(label, 0) + number
    total = seen.num_files - sum(part.num_files for part, explanation in told if explanation.own_bits is not None)
    faults = {explanation.cause for _, explanation in told} - {"as declared"}
    number = max(explanation.num_classes - explanation.lost for _, explanation in told)
    unused = max(0, len(spec.ignore_index) - len(voids))
    return {
        "prior": sum(explanation.bits for _, explanation in told) + priors.FAULT * max(len(faults), bool(unknown))
        + priors.number_of_classes(number, spec.declared),
        "groups": sum(part.bits for part, _ in told[1:]) + priors.NEXT_PART * (len(told) - 1),
        "classes": _of_classes([*classes.values()], max(number, len(classes)), total, lambda: _apart(told, classes))
        + priors.NOTHING_TO_LEARN * (len(classes) == 1 and spec.num_classes != 1),
        "own": sum(explanation.own_bits or 0.0 for _, explanation in told),
        "void": sum(_of_stray(number, total) for number in voids.values()) + priors.NO_VOID * unused,
        "unknown": sum(priors.UNKNOWN_ID + (8 if 0 <= label < 256 else 16) + _of_stray(number, total) for label, number in unknown.items()),
        "shape": sum(_shape(explanation, part, spec) for part, explanation in told),
    }


def _columns(part: Part, explanation: Explanation) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """In how many files of a part each class stands, the first void label, the second, and each unknown id."""
    sources: dict[int, list[int]] = {}
    classes: dict[int, int] = {}
    voids: dict[int, int] = {}
    unknown: dict[int, int] = {}
    if explanation.own_bits is not None:
        return classes, voids, unknown
    for label, number in zip(part.seen.ids, part.counts.tolist(), strict=True):
        if number:
            there = explanation.table.get(label, UNKNOWN)
            if there == VOID:
                voids[len(voids)] = number  # the void label of one part is that of another, whatever it is stored as
            elif there == UNKNOWN:
                unknown[label] = number
            else:
                sources.setdefault(there, []).append(label)
                classes[there] = number
    for there, labels in sources.items():
        if len(labels) > 1:
            classes[there] = part.holding_any(labels)
    return classes, voids, unknown


def _apart(told: Sequence[Told], classes: Mapping[int, int]) -> bool:
    """Whether no file holds two classes besides the one that most files hold."""
    most = max(classes, key=lambda label: classes[label])
    together = sum(part.holding_any([label for label, there in explanation.table.items() if there not in (VOID, most)])
                   for part, explanation in told if explanation.own_bits is None)
    return together == sum(classes.values()) - classes[most]


def _of_classes(counts: list[int], number: int, total: int, apart: Callable[[], bool]) -> float:
    """The bits of the columns of classes; one of them may be a background, which is in nearly every file whatever the others are."""
    rates, most = _rates(total), max(counts, default=0)
    together = rates.bits(counts, number)
    if number < 2 or not most:
        return together
    counts.remove(most)
    background = log2(number) + 1 + _alone(most, total)
    together = min(together, background + rates.bits(counts, number - 1))
    return min(together, background + 1 + _one_each(counts, number - 1, total)) if sum(counts) <= total and apart() else together


def _one_each(counts: list[int], number: int, total: int) -> float:
    """The bits where no file holds two of these classes: each file says which one, or none (Laplace 1814, rule of succession)."""
    ways = sum(lgamma(count + 1) for count in (*counts, total - sum(counts))) + lgamma(number + 1) - lgamma(total + number + 1)
    return -ways / log(2)


@cache
def _rates(total: int) -> _Rates:
    return _Rates(total)


class _Rates:
    """Classes in so many of `total` files: beta-binomial columns whose two numbers all classes have in common.

    -log2 B(a + k, b + n - k) / B(a, b), with a and b averaged over a grid. That makes an absent class a surprise where all others are
    in every file, and none where a hundred others are absent too.
    """

    def __init__(self, total: int) -> None:
        means, precisions = np.meshgrid(_MEANS, _PRECISIONS)
        a, b = (means * precisions).reshape(-1, 1), ((1 - means) * precisions).reshape(-1, 1)
        steps = np.arange(total)

        def sums(first: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.hstack([np.zeros((len(first), 1)), np.cumsum(np.log2(first + steps), 1)])
        self._of_count = sums(a + b)[:, -1:] - sums(a) - sums(b)[:, ::-1]  # (grid, total + 1)
        unused = 2.0 ** -priors.UNUSED  # a class may be absent for reasons of its own, whatever the others are
        self._of_count[:, 0] = -np.log2(unused + (1 - unused) * np.exp2(-self._of_count[:, 0]))

    def bits(self, counts: Iterable[int], number: int) -> float:
        """The bits of `number` columns, of which these are not empty."""
        there = np.fromiter(counts, np.int64)
        bits = self._of_count[:, there].sum(1) + self._of_count[:, 0] * (number - len(there))
        least = bits.min()
        return float(least - np.log2(np.exp2(least - bits).mean()))


@cache
def _alone(number: int, total: int) -> float:
    """The bits of a column of its own: Krichevsky and Trofimov (1981), a beta-binomial with 1/2 and 1/2."""
    ways = lgamma(number + 0.5) + lgamma(total - number + 0.5) - lgamma(total + 1) - 2 * lgamma(0.5)
    return -ways / log(2)


def _of_stray(number: int, total: int) -> float:
    """The bits of an id that is no class: in every file, as borders are, or in so many of them, half each."""
    return -log2(0.5 * (number == total) + 0.5 * exp2(-_alone(number, total)))


def _shape(explanation: Explanation, part: Part, spec: LabelSpec) -> float:
    """How well ids look like what they are said to be: what may be void as void or as a class, two classes as background and object.

    The share x of the pixels away from edges has the density 2 x in a class, and 0.3 + 1.4 x where vessels or cracks may be the only
    object; void is lines or areas, half each, with the density 0.5 Beta(1, 8) + 0.5. Void covers little, mostly: 0.9 Beta(1, 14) + 0.1.
    """
    bits = 0.0
    for label, area in zip(part.seen.ids, part.area_shares.tolist(), strict=True):
        there = explanation.table.get(label, UNKNOWN)
        if there != UNKNOWN and not is_expected(label, spec):
            if there == VOID:
                most = 2.0 if label in TOPS else 1.0  # what is no usual void label is none because it is small
                bits -= log2(min(most, 0.9 * 14 * (1 - area) ** 13 + 0.1))
            core = part.seen.core.get(label)
            if core is not None:
                two = explanation.num_classes == 2
                bits -= log2(4 * (1 - core) ** 7 + 0.5 if there == VOID else 0.3 + 1.4 * core if two else 2 * max(core, _LEAST_CORE))
    return bits + (sum(_frame(explanation, alike) for alike in part.alike) if explanation.num_classes == 2 else 0.0)


def _frame(explanation: Explanation, part: Part) -> float:
    """How well two classes look like background and object: along the frame a background has the density Beta(3, 1), an object Beta(1, 3).

    Files that store them otherwise are judged by themselves, since they may be inside out though the others are not.
    """
    bits = 0.0
    for label, frame in zip(part.seen.ids, part.frame_shares.tolist(), strict=True):
        there = explanation.table.get(label, UNKNOWN)
        if there in (0, 1) and label in part.ids:
            bits -= log2(3 * max(_LEAST_SHARE, frame ** 2 if there == 0 else (1 - frame) ** 2))
    return bits

"""Each file has a numbering of its own: no table brings the ids of all of them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from math import lgamma, log, log2
from typing import NamedTuple

from labelguard.explanations.explanation import Case, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.record import Ids

_SOME = 3             # ids, below which any numbering fits
_MOST_STEPS = 64
_FIRST = 8            # sets of ids that have to look so before all are judged
_LOWEST_TOP = 200     # of a scale that was meant to be seen
_TOPS_APART = 8       # how far the tops of compressed files may be from each other
_OFF = 1 / 8          # of a step, by which a compressed level may be off


def families(case: Case) -> Iterator[Explanation]:
    """Scales."""
    if case.illegal:
        yield from _stretched(case)


class _Scale(NamedTuple):
    """The steps into which a file divides its range, the places that are taken, its top, and the bits that say how far off they are."""

    steps: int
    places: tuple[int, ...]
    top: int
    off: float


def _stretched(case: Case) -> Iterator[Explanation]:
    """Each file spreads its own ids over the same range, whatever its highest one is."""
    if len(case.plain) < _SOME or case.ids[0] < 0 or not all(_scale(ids) for ids, _ in islice(case.part.sets, _FIRST)):
        return
    found, misses = Counter[_Scale](), 0.0
    for ids, files in case.part.sets:
        scale = _scale(ids)
        if scale is None:
            misses += 8.0 * len(ids) * files
        else:
            found[scale] += files
    tops = Counter({scale.top for scale in found.elements() if scale.top not in (0, *TOPS)})
    usual = sorted(tops.elements())[tops.total() // 2] if tops else 0
    if any(abs(top - usual) > _TOPS_APART for top in tops):
        return
    off = 8.0 * bool(tops) + sum(files * (scale.off + log2(2 * _TOPS_APART + 1) * (scale.top in tops)) for scale, files in found.items())
    if len({scale.steps for scale in found if scale.steps}) < 2:
        return  # all alike are spread alike
    steps = max(scale.steps for scale in found)
    number = case.spec.num_classes or steps + 1
    yield Explanation("stretched", "each file spreads its own ids over the whole range", prior("stretched"), {0: 0}, number,
                      alike=True, own_bits=misses + off + log2(max(number, steps)) + _of_places(found, steps))


def may_be_scaled_apart(part: Part, num_classes: int) -> bool:
    """Whether each file may have spread its own ids, so that they are other classes in some: all that hold more than 0 reach the top."""
    scales = [_scale(ids) for ids, _ in part.sets]
    return all(scale is not None and scale.top in (0, *TOPS) for scale in scales) and any(
        scale is not None and 0 < scale.steps < num_classes - 1 for scale in scales)


def _of_places(found: Mapping[_Scale, int], most: int) -> float:
    """The bits that say how many steps each file has, and which of the places below its top are taken in it."""
    steps = Counter[int]()
    for scale, files in found.items():
        steps[scale.steps] += files
    bits = _choose(steps.total() + most, most)  # how many files have each number of steps, and which
    bits += (lgamma(steps.total() + 1) - sum(lgamma(files + 1) for files in steps.values())) / log(2)
    for place in range(1, most):
        able = sum(files for number, files in steps.items() if number > place)
        taken = sum(files for scale, files in found.items() if scale.steps > place in scale.places)
        bits += log2(able + 1) + _choose(able, taken)
    return bits


def _choose(number: int, some: int) -> float:
    """log2 of the ways to choose some of a number of things."""
    return (lgamma(number + 1) - lgamma(some + 1) - lgamma(number - some + 1)) / log(2)


def _scale(ids: Ids) -> _Scale | None:
    """How the range from 0 to the highest id is divided by the others; None where it is not.

    They are rounded to whole numbers; or all of them are there, each off by an eighth of a step at most, as compression leaves them.
    """
    top, last = ids[-1], len(ids) - 1
    if ids == (0,):
        return _Scale(0, (0,), 0, 0.0)
    if top in TOPS:
        for steps in range(max(1, last), _MOST_STEPS + 1):
            places = tuple(round(label * steps / top) for label in ids)
            if all(abs(place * top / steps - label) < 1 for place, label in zip(places, ids, strict=True)):
                return _Scale(steps, places, top, 0.0)
    step = top / max(1, last)
    even = all(abs(label - place * step) <= _OFF * step for place, label in enumerate(ids))
    if _LOWEST_TOP <= top < TOPS[0] and step > 2 / _OFF and even:
        return _Scale(last, tuple(range(last + 1)), top, (last - 1) * log2(2 * _OFF * step))
    return None

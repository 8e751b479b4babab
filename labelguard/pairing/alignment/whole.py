"""Is there another way of putting all masks and images of a set together, which fits better?

A reading of the whole set is believed only if, over the set, it fits better than the pairs as they are do, and if it fits each mask better
to its own image than to other images of the set, so that it is not just a fit to what all images share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labelguard.pairing.alignment.fault import CHANCE, FILE_CHANCE, Fault
from labelguard.pairing.alignment.fit_scores import ROOT2, SWAPPING, TURNS, Floats, Indices, Scores, named, needed, tails
from labelguard.text import count

OVERWHELMING = 1e-9
_FURTHEST = 3          # names that pairs are looked for to be off


@dataclass(frozen=True)
class _Reading:
    """Another way to put masks and images together: what it says of the masks, how each fits so, beside which image, turned how."""

    what: str
    fit: Floats
    image: Indices
    turn: str = ""


def _readings(scores: Scores, names: list[str]) -> Iterator[_Reading]:
    for turn in TURNS:
        if turn not in SWAPPING or scores.swapped.any():
            yield _Reading(turn, scores.turned(turn), scores.home, turn)
    n = len(names)
    here = np.arange(n)
    natural = np.array(sorted(here, key=lambda place: _natural(names[place])), np.intp)  # which name comes first, second, ...
    orders = [("", here)] if (natural == here).all() else [("", here), (", where 2 comes before 10", natural)]
    for remark, order in orders:
        for step in (way * k for k in range(1, min(_FURTHEST, (n - 1) // 2) + 1) for way in (1, -1)):
            image = np.empty(n, np.intp)
            image[order] = np.roll(order, -step)
            way = "further on" if step > 0 else "before"
            yield _ordered(scores, f"those of the images {count(abs(step), 'name')} {way}{remark}", image)
    if len(orders) > 1:
        for image in (natural, np.argsort(natural)):
            yield _ordered(scores, "paired in two orders: 10 comes before 2 on one side, and after it on the other", image)


def _ordered(scores: Scores, what: str, image: Indices) -> _Reading:
    return _Reading(what, scores.fit(scores.masks, image[scores.home]), image[scores.home])


def _natural(name: str) -> list[tuple[str, int]]:
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def whole_fault(scores: Scores, names: list[str]) -> Fault | None:
    """The reading of the whole set that is better than the pairs as they are, if there is one."""
    readings = list(_readings(scores, names))
    enough = needed(CHANCE, len(readings))
    better = [scores.weight_of((reading.fit - scores.own) / ROOT2) for reading in readings]
    strength, best = max(zip(better, readings, strict=True), key=lambda item: item[0])
    masks = TURNS[best.turn](scores.masks) if best.turn else scores.masks
    possible = ~np.isnan(best.fit)  # only squares can be transposed
    specific = scores.weight_of(np.where(possible, scores.specific(masks, best.image), np.nan))
    if not min(strength, specific) > enough:
        return None
    rivals = [reading.what for weight, reading in zip(better, readings, strict=True) if weight > enough
              and reading.what.partition(",")[0] != best.what.partition(",")[0]
              and not scores.weight_of((best.fit - reading.fit) / ROOT2) > needed(0.01)]
    gain = (best.fit - scores.own) / ROOT2
    right = named(tails(-gain), FILE_CHANCE)  # as they are
    valid = possible & scores.speaking
    votes = [f"fit of a mask to its image, 1 being the spread of fits by chance: {np.median(scores.own[valid]):.1f} as they are, "
             f"{np.median(best.fit[valid]):.1f} if they are {best.what} (medians of {count(int(valid.sum()), 'pair')})",
             f"{(gain[valid] > 0).sum():,} of {count(int(valid.sum()), 'pair')} fit better so"]
    if right.any():
        votes.append(f"{count(int(right.sum()), 'pair fits', 'pairs fit')} as {'it is' if right.sum() == 1 else 'they are'}")
    concerned = {names[home]: names[image] for home, image, wrong in zip(scores.home, best.image, possible & ~right, strict=True)
                 if wrong and (best.turn or home != image)}
    whole = bool(possible.all()) and not right.any()
    sure = min(strength, specific) > needed(OVERWHELMING, len(readings)) and whole and not rivals
    return Fault("turned" if best.turn else "paired", " or ".join([best.what, *rivals]), tuple(concerned), whole, sure, tuple(votes),
                 partners={} if best.turn else concerned)

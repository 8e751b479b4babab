"""Is there another way of putting all masks and images of a set together, which fits better?

A reading of the whole set is believed only if, over the set, it fits better than the pairs as they are do, and if it fits each mask better
to its own image than to other images of the set, so that it is not just a fit to what all images share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from labelguard.pairing.alignment.fit_scores import ROOT2, Floats, Indices, Scores, benjamini_hochberg, critical_score, tail_chances
from labelguard.pairing.alignment.misalignment import CHANCE, FILE_CHANCE, Misalignment
from labelguard.pairing.alignment.turn import Turn
from labelguard.text import count

OVERWHELMING = 1e-9
_MOST_NAMES_OFF = 3          # names that pairs are looked for to be off


class _Reading(NamedTuple):
    """Another way to put masks and images together.

    Parameters
    ----------
    claim
        What it says: the turn that the masks went through, by how many names they are off, or that two orders were mixed up. Readings of
        one claim do not contradict each other.
    words
        The same, to complete "the masks are ...".
    fit
        (m,) how well each mask fits so.
    image
        (m,) beside which image.
    """

    claim: Turn | int | Literal["two orders"]
    words: str
    fit: Floats
    image: Indices

    @property
    def turn(self) -> Turn | None:
        """The turn that the masks went through; None where they were paired with other images."""
        return self.claim if isinstance(self.claim, Turn) else None


def _readings(scores: Scores, names: list[str]) -> Iterator[_Reading]:
    for turn in Turn:
        if scores.swapped.any() or not turn.swaps_sides:
            yield _Reading(turn, turn.words, scores.turned_back(turn), scores.image_index)
    n = len(names)
    here = np.arange(n)
    natural = np.array(sorted(here, key=lambda place: _natural(names[place])), np.intp)  # which name comes first, second, ...
    orders = [("", here)] if (natural == here).all() else [("", here), (", where 2 comes before 10", natural)]
    for remark, order in orders:
        for step in (way * k for k in range(1, min(_MOST_NAMES_OFF, (n - 1) // 2) + 1) for way in (1, -1)):
            image = np.empty(n, np.intp)
            image[order] = np.roll(order, -step)
            way = "further on" if step > 0 else "before"
            yield _paired(scores, step, f"those of the images {count(abs(step), 'name')} {way}{remark}", image)
    if len(orders) > 1:
        for image in (natural, np.argsort(natural)):
            yield _paired(scores, "two orders", "paired in two orders: 10 comes before 2 on one side, and after it on the other", image)


def _paired(scores: Scores, claim: int | Literal["two orders"], words: str, image: Indices) -> _Reading:
    return _Reading(claim, words, scores.fit(scores.masks, image[scores.image_index]), image[scores.image_index])


def _natural(name: str) -> list[tuple[str, int]]:
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def whole_fault(scores: Scores, names: list[str]) -> Misalignment | None:
    """The reading of the whole set that is better than the pairs as they are, if there is one."""
    readings = list(_readings(scores, names))
    enough = critical_score(CHANCE, len(readings))
    better = [scores.weight_of((reading.fit - scores.own_fit) / ROOT2) for reading in readings]
    strength, best = max(zip(better, readings, strict=True), key=lambda item: item[0])
    masks = best.turn.undone(scores.masks) if best.turn is not None else scores.masks
    possible = ~np.isnan(best.fit)  # only squares can be transposed
    specific = scores.weight_of(np.where(possible, scores.specific(masks, best.image), np.nan))
    if not min(strength, specific) > enough:
        return None
    rivals = [reading.words for weight, reading in zip(better, readings, strict=True) if weight > enough and reading.claim != best.claim
              and not scores.weight_of((best.fit - reading.fit) / ROOT2) > critical_score(0.01)]
    gain = (best.fit - scores.own_fit) / ROOT2
    right = benjamini_hochberg(tail_chances(-gain), FILE_CHANCE)  # as they are
    valid = possible & scores.has_edges
    votes = [f"how well masks fit their images, in spreads of fits by chance: {np.median(scores.own_fit[valid]):.1f} as they are, "
             f"{np.median(best.fit[valid]):.1f} if they are {best.words} (medians of {count(int(valid.sum()), 'pair')})",
             f"{(gain[valid] > 0).sum():,} of {count(int(valid.sum()), 'pair')} fit better that way"]
    if right.any():
        votes.append(f"{count(int(right.sum()), 'pair fits', 'pairs fit')} as {'it is' if right.sum() == 1 else 'they are'}")
    concerned = {names[own]: names[image] for own, image, wrong in zip(scores.image_index, best.image, possible & ~right, strict=True)
                 if wrong and (best.turn is not None or own != image)}
    whole = bool(possible.all()) and not right.any()
    sure = min(strength, specific) > critical_score(OVERWHELMING, len(readings)) and whole and not rivals
    return Misalignment("turned" if best.turn is not None else "paired", " or ".join([best.words, *rivals]), tuple(concerned), whole, sure,
                        tuple(votes), turn=None if rivals else best.turn, partners={} if best.turn is not None else concerned)

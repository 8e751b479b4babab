"""Do the masks of a set belong to their images? Judged for the set, since a single pair can always be a matter of chance.

Every other reading (the masks flipped or turned, each mask beside the image one, two or three names further, names sorted another way) is
held against the pairs as they are. A reading of the whole set is believed only if

* over the set it fits better than the pairs as they are do, and
* it fits each mask better to its own image than to other images of the set, so that it is not just a fit to what all images share.

A reading of some files only is believed where each of these files speaks for itself. No threshold is fitted to data: they are all
chances, corrected for how many readings were tried, in the units of `alignment_scores`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelguard.alignment import AlignmentEvidence
from labelguard.alignment_scores import SWAPPING, TURNS, Floats, Indices, Scores, needed, tail
from labelguard.alignment_shift import LEAST_PAIRS, LEAST_SHIFT, shift_of
from labelguard.words import count

Kind = Literal["turned", "paired", "shifted", "alone"]

CHANCE = 1e-4          # that a set without fault is convicted
OVERWHELMING = 1e-9
FILE_CHANCE = 1e-4     # share of innocent ones among the files that are named (Benjamini and Hochberg 1995)
_AGAIN = 1e-2          # the same, once the fault is known to be in the set
_FURTHEST = 3          # names that pairs are looked for to be off
_SUSPECTS = 2048       # masks for which a better image is looked for among all
_MANY = 20             # pairs that are needed to know what a usual fit is
_ODD = 1e-3            # share of pairs that may fit badly for reasons of their own, whatever the others say
_ROOT2 = 2.0 ** 0.5    # the difference of two scores spreads by so much more


@dataclass(frozen=True)
class Fault:
    """One way in which masks do not belong to their images.

    Parameters
    ----------
    kind
        ``turned`` (flipped, rotated, transposed), ``paired`` (the mask of another image), ``shifted``, or ``alone``: fits neither its
        image nor another.
    what
        In words, as in ``flipped horizontally``; it completes "the masks are ...".
    files
        The masks concerned.
    whole
        Whether that is the whole set, as far as it can be judged.
    sure
        Whether chance is out of the question.
    votes
        What was measured, in sentences.
    shift
        How far the masks have to be moved back, as (down, right) in pixels.
    partners
        For masks of other images: the pair whose image they fit.
    """

    kind: Kind
    what: str
    files: tuple[str, ...]
    whole: bool
    sure: bool
    votes: tuple[str, ...]
    shift: tuple[int, int] | None = None
    partners: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AlignmentVerdict:
    """What is said of a set: ``ok``, ``abstains`` or ``faulty``, why, and the faults."""

    status: Literal["ok", "abstains", "faulty"]
    why: str
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class _Reading:
    """Another way to put masks and images together: what it says of the masks, how each fits so, beside which image, turned how."""

    what: str
    fit: Floats
    image: Indices
    turn: str = ""


def judge(evidence: Sequence[tuple[str, AlignmentEvidence]]) -> AlignmentVerdict:
    """Judge a set of pairs.

    Parameters
    ----------
    evidence
        Name of the mask and evidence of each pair, sorted by name; pairs that are all off by one name show in this order only.
    """
    names = [name for name, _ in evidence]
    scores = Scores.of([pair for _, pair in evidence])
    pairs = int(scores.speaking.sum())
    if pairs < LEAST_PAIRS:
        few = f"only {count(pairs, 'pair has', 'pairs have')} edges in both image and mask, and {LEAST_PAIRS} are needed"
        return AlignmentVerdict("abstains", few if evidence else "there are no pairs")
    found = _whole(scores, names)
    if found is not None:
        return AlignmentVerdict("faulty", found.votes[0], (found,))
    faults, wrong = _parts(scores, names)
    if scores.weight_of(scores.own) < needed(CHANCE):
        why = f"the edges of the images follow those of the masks no more than by chance, over {count(pairs, 'pair')}"
    elif scores.weight_of(scores.specific(scores.masks, scores.home)) < needed(CHANCE):
        why = f"the masks fit other images about as well as their own, over {count(pairs, 'pair')}"
    else:
        rest = [evidence[place] for place, bad in zip(scores.home, wrong, strict=True) if not bad]
        faults += _shifted(rest, scores.independent / len(scores))
        why = f"a mask fits its image by {np.median(scores.own):.1f} times the spread of fits by chance (median of {count(pairs, 'pair')})"
        return AlignmentVerdict("faulty" if faults else "ok", why, tuple(faults))
    return AlignmentVerdict("faulty" if faults else "abstains", why, tuple(faults))


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


def _whole(scores: Scores, names: list[str]) -> Fault | None:
    """The reading of the whole set that is better than the pairs as they are, if there is one."""
    readings = list(_readings(scores, names))
    enough = needed(CHANCE, len(readings))
    better = [scores.weight_of((reading.fit - scores.own) / _ROOT2) for reading in readings]
    strength, best = max(zip(better, readings, strict=True), key=lambda item: item[0])
    masks = TURNS[best.turn](scores.masks) if best.turn else scores.masks
    specific = scores.weight_of(scores.specific(masks, best.image))
    if not min(strength, specific) > enough:
        return None
    rivals = [reading.what for weight, reading in zip(better, readings, strict=True) if reading.what != best.what and weight > enough
              and not scores.weight_of((best.fit - reading.fit) / _ROOT2) > needed(0.01)]
    gain = (best.fit - scores.own) / _ROOT2
    right = _named(_tails(-gain))  # as they are
    valid = ~np.isnan(gain) & scores.speaking
    votes = [f"fit of a mask to its image, 1 being the spread of fits by chance: {np.median(scores.own[valid]):.1f} as they are, "
             f"{np.median(best.fit[valid]):.1f} if they are {best.what} (medians of {count(int(valid.sum()), 'pair')})",
             f"{(gain[valid] > 0).sum():,} of {count(int(valid.sum()), 'pair')} fit better so"]
    if right.any():
        votes.append(f"{count(int(right.sum()), 'pair fits', 'pairs fit')} as {'it is' if right.sum() == 1 else 'they are'}")
    concerned = {names[home]: names[image] for home, image, fine in zip(scores.home, best.image, right, strict=True)
                 if not fine and (best.turn or home != image)}
    sure = min(strength, specific) > needed(OVERWHELMING, len(readings)) and not right.any() and not rivals
    return Fault("turned" if best.turn else "paired", " or ".join([best.what, *rivals]), tuple(concerned), not right.any(), sure,
                 tuple(votes), partners={} if best.turn else concerned)


def _named(chances: NDArray[np.float64], share: float = FILE_CHANCE) -> NDArray[np.bool_]:
    """Which of many files can be named so that at most this share of them is innocent."""
    order = np.argsort(chances)
    passed = np.flatnonzero(chances[order] <= share * np.arange(1, len(chances) + 1) / len(chances))
    named = np.zeros(len(chances), np.bool_)
    named[order[:passed[-1] + 1 if len(passed) else 0]] = True
    return named


def _chances(scores: Scores, fit: Floats, usual: _Usual, tried: NDArray[np.int_] | int = 1) -> NDArray[np.float64]:
    """For each mask the chance that a reading which is no better looks so good.

    Either it beats the fit as it is by more than chance would; or two unlikely things have come together: the mask fits its image badly,
    no better than by chance, which is rare in this set, and it fits the other way by chance as well as pairs of this set usually do (the
    product of two chances is below q by a chance of q (1 - ln q), Fisher 1932).
    """
    by_chance = np.minimum(_tails(fit) * tried, 1)
    beats = np.minimum(_tails((fit - scores.own) / _ROOT2) * tried, 1)
    both = by_chance * np.maximum(usual.chance, _ODD)
    possible = (usual.chance < 0.05) & (scores.own < needed(0.01)) & (fit > usual.least)
    both = np.where(possible, both * (1 - np.log(np.maximum(both, 1e-300))), 1)
    return np.where(fit > scores.own, np.minimum(np.maximum(by_chance, beats), both), 1)


def _tails(values: Floats) -> NDArray[np.float64]:
    return np.array([tail(value) for value in values.tolist()])


def _parts(scores: Scores, names: list[str]) -> tuple[list[Fault], NDArray[np.bool_]]:
    """Files that are wrong each by itself; and which those are."""
    usual = _usual(scores)
    faults, wrong = _turned_parts(scores, names, usual)
    paired, image, fit = _paired_part(scores, len(names), usual, wrong)
    if paired.any():
        partners = {names[scores.home[place]]: names[image[place]] for place in np.flatnonzero(paired)}
        faults.append(_part("paired", "those of other images", scores, names, paired, fit, partners))
        wrong |= paired
    alone = _named(np.where(scores.own < needed(0.01), usual.chance, 1.0)) & ~wrong
    if alone.any():
        faults.append(_part("alone", "unlike their images, and unlike any other image of the set", scores, names, alone))
    return faults, wrong | alone


def _turned_parts(scores: Scores, names: list[str], usual: _Usual) -> tuple[list[Fault], NDArray[np.bool_]]:
    each = np.nan_to_num(np.array([scores.turned(turn) for turn in TURNS]), nan=-np.inf)
    fit, which = each.max(axis=0), each.argmax(axis=0)
    masks = scores.masks.copy()
    for number, turn in enumerate(TURNS):
        masks[which == number] = TURNS[turn](masks[which == number])
    unmatched = fit > np.maximum(scores.ceiling(scores.masks, scores.home), scores.ceiling(masks, scores.home))
    tried = np.where(scores.swapped, len(TURNS), len(TURNS) - len(SWAPPING))
    certain = _named(np.where(unmatched, _chances(scores, fit, usual, tried), 1))
    likely = certain | _named(np.where(unmatched, _chances(scores, fit, usual), 1), _AGAIN)
    faults, wrong = [], np.zeros(len(scores), np.bool_)
    for number, turn in enumerate(TURNS):
        if (certain & (which == number)).any():
            chosen = likely & (which == number)
            faults.append(_part("turned", turn, scores, names, chosen, fit))
            wrong |= chosen
    return faults, wrong


def _paired_part(scores: Scores, images: int, usual: _Usual, settled: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Indices, Floats]:
    """The masks that fit another image of the set, which, and how well."""
    image, fit = _partners(scores, settled)
    unmatched = fit > np.maximum(scores.ceiling(scores.masks, scores.home), scores.ceiling(scores.masks, image))
    paired = _named(np.where(unmatched, _chances(scores, fit, usual, images - 1), 1)) & ~settled
    place_of = {home: place for place, home in enumerate(scores.home.tolist())}
    for place in np.flatnonzero(paired):  # has it changed places with the mask of that image?
        other = place_of.get(int(image[place]))
        if other is not None and not (paired | settled)[other]:
            back = scores.against_all(np.array([other]))[0, scores.home[place]]
            if min(back, (back - scores.own[other]) / _ROOT2) > needed(_AGAIN):
                paired[other], image[other], fit[other] = True, scores.home[place], back
    return paired, image, fit


def _part(kind: Kind, what: str, scores: Scores, names: list[str], chosen: NDArray[np.bool_], fit: Floats | None = None,
          partners: Mapping[str, str] | None = None) -> Fault:
    """A fault of some files, with what was measured of them and of the others."""
    files = tuple(names[home] for home in scores.home[chosen])
    so = "" if fit is None else f", {np.median(fit[chosen]):.1f} {'if it is so' if kind == 'turned' else 'beside the other image'}"
    votes = [f"fit of a mask to its image, 1 being the spread of fits by chance: {np.median(scores.own[chosen]):.1f} as it is{so}"
             + (f" (medians of {count(len(files), 'pair')})" if len(files) > 1 else "")]
    rest = scores.own[~chosen & scores.speaking]
    if len(rest):
        votes.append(f"{np.median(rest):.1f} in the other {count(len(rest), 'pair')}")
    return Fault(kind, what, files, False, False, tuple(votes), partners=partners or {})


def _partners(scores: Scores, settled: NDArray[np.bool_]) -> tuple[Indices, Floats]:
    """For the masks that fit their images worst: the other image that each fits best, and how well."""
    image, fit = scores.home.copy(), np.full(len(scores), -np.inf, np.float32)
    suspects = np.argsort(np.where(settled, np.inf, scores.own))[:_SUSPECTS]
    for start in range(0, len(suspects), 256):
        chosen = suspects[start:start + 256]
        table = scores.against_all(chosen)
        table[np.arange(len(chosen)), scores.home[chosen]] = -np.inf
        image[chosen], fit[chosen] = table.argmax(axis=1), table.max(axis=1)
    return image, fit


@dataclass(frozen=True)
class _Usual:
    """How pairs of a set usually fit: the chance of a fit as bad as each pair's, and what 95 % of them exceed."""

    chance: NDArray[np.float64]
    least: float


def _usual(scores: Scores) -> _Usual:
    """Told by how far below the median the set's own weaker pairs lie.

    Nothing is said of pairs with few edges, of which less can be expected, nor where there are few pairs.
    """
    good = scores.own[scores.speaking]
    if len(good) < _MANY:
        return _Usual(np.ones(len(scores)), np.inf)
    middle = float(np.median(good))
    spread = max((middle - float(np.quantile(good, 0.1))) / needed(0.1), 1.0)
    rich = scores.speaking.copy()
    for maps in (scores.images[scores.home], scores.masks):
        cells = 1 / np.maximum(np.einsum("nij,nij->n", maps ** 2, maps ** 2), 1e-9)  # participation ratio: how many cells share the edges
        rich &= cells >= np.median(cells) / 2
    return _Usual(np.where(rich, _tails((middle - scores.own) / spread), 1.0), middle - needed(0.05) * spread)


def _shifted(evidence: Sequence[tuple[str, AlignmentEvidence]], share: float) -> list[Fault]:
    """The fault of masks that lie beside what they outline, if they do."""
    axes = (shift_of([pair.rows for _, pair in evidence], ("up", "down"), share),
            shift_of([pair.columns for _, pair in evidence], ("to the left", "to the right"), share))
    moves = tuple(axis.move if abs(axis.move) >= LEAST_SHIFT and axis.chance < CHANCE / len(axes) else 0 for axis in axes)
    if not any(moves):
        return []
    words = (("too far up", "too far down"), ("too far left", "too far right"))
    what = " and ".join(f"{count(abs(move), 'pixel')} {way[move < 0]}" for move, way in zip(moves, words, strict=True) if move)
    votes = tuple(f"{axis.vote} (by chance: {axis.chance:.1g})" for axis, move in zip(axes, moves, strict=True) if move)
    return [Fault("shifted", f"about {what}", tuple(name for name, _ in evidence), True, False, votes, shift=(moves[0], moves[1]))]

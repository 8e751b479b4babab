"""Which masks of a set, each by itself, do not belong to their images? Named only where each speaks for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelguard.pairing.alignment.fit_scores import ROOT2, Floats, Indices, Scores, benjamini_hochberg, critical_score, tail_chances
from labelguard.pairing.alignment.misalignment import FILE_CHANCE, Misalignment, MisalignmentKind
from labelguard.pairing.alignment.turn import Turn
from labelguard.text import count

_AGAIN = 1e-2          # in place of FILE_CHANCE, once the fault is known to be in the set
_SUSPECTS = 2048       # masks for which a better image is looked for among all
_ENOUGH_PAIRS = 20             # pairs that are needed to know what a usual fit is
_SAME = 0.99           # correlation of the maps of one mask and its copy
_ODD = 1e-3            # share of pairs that may fit badly for reasons of their own, whatever the others say


def single_faults(scores: Scores, names: list[str]) -> tuple[list[Misalignment], NDArray[np.bool_]]:
    """Files that are wrong each by itself; and which those are."""
    usual = _usual(scores)
    faults, wrong = _turned_parts(scores, names, usual)
    paired, image, fit = _paired_part(scores, len(names), usual, wrong)
    if paired.any():
        partners = {names[scores.image_index[place]]: names[image[place]] for place in np.flatnonzero(paired)}
        faults.append(_part("paired", "those of other images", scores, names, paired, fit, partners))
        wrong |= paired
    alone = benjamini_hochberg(np.where(scores.own_fit < critical_score(0.01), usual.chance, 1.0), FILE_CHANCE) & ~wrong
    if alone.any():
        faults.append(_part("alone", "unlike their images, and unlike any other image of the set", scores, names, alone))
    return faults, wrong | alone


@dataclass(frozen=True)
class _Usual:
    """How pairs of a set usually fit: the chance of a fit as bad as each pair's, and what 95 % of them exceed."""

    chance: NDArray[np.float64]
    least: float


def _usual(scores: Scores) -> _Usual:
    """Estimated from how far below the median the set's own weaker pairs lie.

    Nothing is said of pairs with few edges, of which less can be expected, nor where there are few pairs.
    """
    good = scores.own_fit[scores.has_edges]
    if len(good) < _ENOUGH_PAIRS:
        return _Usual(np.ones(len(scores)), np.inf)
    middle = float(np.median(good))
    spread = max((middle - float(np.quantile(good, 0.1))) / critical_score(0.1), 1.0)
    rich = scores.has_edges.copy()
    for maps in (scores.images[scores.image_index], scores.masks):
        cells = 1 / np.maximum(np.einsum("nij,nij->n", maps ** 2, maps ** 2), 1e-9)  # participation ratio: how many cells share the edges
        rich &= cells >= np.median(cells) / 2
    return _Usual(np.where(rich, tail_chances((middle - scores.own_fit) / spread), 1.0), middle - critical_score(0.05) * spread)


def _chances(scores: Scores, fit: Floats, usual: _Usual, tried: NDArray[np.int_] | int = 1) -> NDArray[np.float64]:
    """For each mask the chance that a reading which is no better looks so good.

    Either it beats the fit as it is by more than chance would; or two unlikely things have come together: the mask fits its image badly,
    no better than by chance, which is rare in this set, and it fits the other way by chance as well as pairs of this set usually do (the
    product of two chances is below q by a chance of q (1 - ln q), Fisher 1932).
    """
    by_chance = np.minimum(tail_chances(fit) * tried, 1)
    beats = np.minimum(tail_chances((fit - scores.own_fit) / ROOT2) * tried, 1)
    both = by_chance * np.maximum(usual.chance, _ODD)
    possible = (usual.chance < 0.05) & (scores.own_fit < critical_score(0.01)) & (fit > usual.least)
    both = np.where(possible, both * (1 - np.log(np.maximum(both, 1e-300))), 1)
    return np.where(fit > scores.own_fit, np.minimum(np.maximum(by_chance, beats), both), 1)


def _turned_parts(scores: Scores, names: list[str], usual: _Usual) -> tuple[list[Misalignment], NDArray[np.bool_]]:
    each = np.nan_to_num(np.array([scores.turned_back(turn) for turn in Turn]), nan=-np.inf)
    fit, which = each.max(axis=0), each.argmax(axis=0)
    masks = scores.masks.copy()
    for number, turn in enumerate(Turn):
        masks[which == number] = turn.undone(masks[which == number])
    unmatched = fit > np.maximum(scores.best_elsewhere(scores.masks, scores.image_index), scores.best_elsewhere(masks, scores.image_index))
    tried = np.where(scores.swapped, len(Turn), sum(not turn.swaps_sides for turn in Turn))
    certain = benjamini_hochberg(np.where(unmatched, _chances(scores, fit, usual, tried), 1), FILE_CHANCE)
    likely = certain | benjamini_hochberg(np.where(unmatched, _chances(scores, fit, usual), 1), _AGAIN)
    faults, wrong = [], np.zeros(len(scores), np.bool_)
    for number, turn in enumerate(Turn):
        if (certain & (which == number)).any():
            chosen = likely & (which == number)
            faults.append(_part("turned", turn.words, scores, names, chosen, fit, turn=turn))
            wrong |= chosen
    return faults, wrong


def _paired_part(scores: Scores, images: int, usual: _Usual, settled: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Indices, Floats]:
    """The masks that fit another image of the set, which, and how well."""
    image, fit = _partners(scores, settled)
    unmatched = fit > np.maximum(scores.best_elsewhere(scores.masks, scores.image_index), scores.best_elsewhere(scores.masks, image))
    unmatched &= _free(scores, images, usual)[image] | _copies(scores, images, image)
    paired = benjamini_hochberg(np.where(unmatched, _chances(scores, fit, usual, images - 1), 1), FILE_CHANCE) & ~settled
    place_of = {image_beside: place for place, image_beside in enumerate(scores.image_index.tolist())}
    for place in np.flatnonzero(paired):  # has it changed places with the mask of that image?
        other = place_of.get(int(image[place]))
        if other is not None and not (paired | settled)[other]:
            back = scores.against_all(np.array([other]))[0, scores.image_index[place]]
            if min(back, (back - scores.own_fit[other]) / ROOT2) > critical_score(_AGAIN):
                paired[other], image[other], fit[other] = True, scores.image_index[place], back
    return paired, image, fit


def _free(scores: Scores, images: int, usual: _Usual) -> NDArray[np.bool_]:
    """(images,) whether an image may belong to another mask: its own fits it no better than by chance, or worse than is usual here."""
    free = np.ones(images, np.bool_)
    free[scores.image_index] = scores.own_fit < max(critical_score(0.01), usual.least if np.isfinite(usual.least) else 0)
    return free


def _copies(scores: Scores, images: int, image: Indices) -> NDArray[np.bool_]:
    """Whether each mask is the very one that lies beside that image."""
    place = np.full(images, -1, np.intp)
    place[scores.image_index] = np.arange(len(scores))
    alike = np.einsum("nij,nij->n", scores.masks, scores.masks[place[image]])
    return np.asarray((place[image] >= 0) & (alike > _SAME), np.bool_)


def _part(kind: MisalignmentKind, what: str, scores: Scores, names: list[str], chosen: NDArray[np.bool_], fit: Floats | None = None,
          partners: Mapping[str, str] | None = None, turn: Turn | None = None) -> Misalignment:
    """A fault of some files, with what was measured of them and of the others."""
    files = tuple(names[beside] for beside in scores.image_index[chosen])
    so = "" if fit is None else f", {np.median(fit[chosen]):.1f} {'turned back' if kind == 'turned' else 'beside the other image'}"
    votes = [f"how well masks fit their images, in spreads of fits by chance: {np.median(scores.own_fit[chosen]):.1f} as they are{so}"
             + (f" (medians of {count(len(files), 'pair')})" if len(files) > 1 else "")]
    rest = scores.own_fit[~chosen & scores.has_edges]
    if len(rest):
        votes.append(f"{np.median(rest):.1f} in the other {count(len(rest), 'pair')}")
    return Misalignment(kind, what, files, False, False, tuple(votes), turn=turn, partners=partners or {})


def _partners(scores: Scores, settled: NDArray[np.bool_]) -> tuple[Indices, Floats]:
    """For the masks that fit their images worst: the other image that each fits best, and how well."""
    image, fit = scores.image_index.copy(), np.full(len(scores), -np.inf, np.float32)
    suspects = np.argsort(np.where(settled, np.inf, scores.own_fit))[:_SUSPECTS]
    for start in range(0, len(suspects), 256):
        chosen = suspects[start:start + 256]
        table = scores.against_all(chosen)
        table[np.arange(len(chosen)), scores.image_index[chosen]] = -np.inf
        image[chosen], fit[chosen] = table.argmax(axis=1), table.max(axis=1)
    return image, fit

"""How well masks fit images: their own, their own when flipped, those of other pairs.

A fit is the correlation of two edge maps. What a fit is worth is told by meaningless fits: of the same two maps, moved against each
other by every distance around the grid (the toroidal shift test of Lotwick and Silverman 1982, "Methods for analysing spatial processes
of several types of points"), which keeps how clustered the edges of both are. Their spread is the unit of all scores here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from labelguard.pairing.alignment.edge_maps import CELLS, AlignmentEvidence
from labelguard.pairing.alignment.turn import Turn

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

ROOT2 = 2.0 ** 0.5  # the difference of two scores spreads by so much more
CLIP = 3.0         # no single pair counts for more than this many units
_HEAVY = 9.0       # kurtosis
_NEAR_CELLS = 2          # moved by up to so many cells, maps may still fit
_BLOCK = 512       # pairs taken at a time
_OTHER_IMAGES = 32       # other images that a mask is held against
_PAIRS_COMPARED = 512      # pairs whose likeness is looked at

_normal = NormalDist()


def tail_chances(scores: Floats) -> NDArray[np.float64]:
    """For each score the chance of one as high where there is nothing to find; NaN counts as 0, which says nothing."""
    return np.array([0.5 if score != score else _normal.cdf(-score) for score in scores.tolist()])


def critical_score(chance: float, tried: int = 1) -> float:
    """The score that is reached by chance at most this often, however many possibilities were tried (Bonferroni)."""
    return -_normal.inv_cdf(chance / tried)


def benjamini_hochberg(chances: NDArray[np.float64], share: float) -> NDArray[np.bool_]:
    """Which of many files can be named so that at most this share of the named ones is sound (Benjamini and Hochberg 1995)."""
    order = np.argsort(chances)
    passed = np.flatnonzero(chances[order] <= share * np.arange(1, len(chances) + 1) / len(chances))
    chosen = np.zeros(len(chances), np.bool_)
    chosen[order[:passed[-1] + 1 if len(passed) else 0]] = True
    return chosen


@dataclass(frozen=True)
class Scores:
    """Edge maps of a set: all images, and the masks that have edges.

    Parameters
    ----------
    images
        (n, CELLS, CELLS) maps of unit length, or 0 where an image has no edges.
    masks
        (m, CELLS, CELLS) maps of unit length.
    image_index
        (m,) which image each mask lies beside.
    swapped
        (m,) whether that image has the shape of the mask with height and width swapped, so that the mask may be transposed.
    """

    images: Floats
    masks: Floats
    image_index: Indices
    swapped: NDArray[np.bool_]

    @classmethod
    def of(cls, evidence: Sequence[AlignmentEvidence]) -> Scores:
        """Take in the pairs of a set."""
        image_index = np.array([place for place, pair in enumerate(evidence) if pair.mask_map.any()], np.intp)
        swapped = np.array([evidence[place].mask_shape == evidence[place].image_shape[::-1] for place in image_index], np.bool_)
        return cls(_units([pair.image_map for pair in evidence]), _units([evidence[place].mask_map for place in image_index]), image_index,
                   swapped)

    def __len__(self) -> int:
        return len(self.image_index)

    @cached_property
    def has_edges(self) -> NDArray[np.bool_]:
        """(m,) whether the image of a mask has edges too."""
        return np.asarray(self.images[self.image_index].any(axis=(1, 2)), np.bool_)

    @cached_property
    def unit(self) -> Floats:
        """(m,) the spread of meaningless fits, for each pair."""
        spread = self._moved(self.masks, self.image_index)[0]
        return np.where(self.has_edges, spread, np.median(spread[self.has_edges]) if self.has_edges.any() else 1)

    def best_elsewhere(self, masks: Floats, image: Indices) -> Floats:
        """(m,) the best fit that each mask has anywhere else on one image; infinite where edges are so few that fits tell nothing.

        Where a few edges meet, chance makes fits that are mostly 0 and sometimes large, and the units here, which suppose a normal law,
        do not measure them. The line is drawn at the kurtosis of an exponential law; photographs have about 3, as the normal law has.
        """
        _, most, fourth = self._moved(masks, image)
        return np.where(fourth > _HEAVY, np.inf, most / self.unit)

    def _moved(self, masks: Floats, image: Indices) -> tuple[Floats, Floats, Floats]:
        """Spread, maximum and kurtosis of the fits when each mask is moved around one image, by more than _NEAR_CELLS."""
        spread, most, fourth = np.zeros((3, len(self)), np.float32)
        far = np.ones((CELLS, CELLS), np.bool_)
        near = np.arange(-_NEAR_CELLS, _NEAR_CELLS + 1)
        far[np.ix_(near, near)] = False
        for start in range(0, len(self), _BLOCK):
            block = slice(start, start + _BLOCK)
            product = np.conj(np.fft.rfft2(masks[block])) * np.fft.rfft2(self.images[image[block]])
            fits = np.fft.irfft2(product, s=(CELLS, CELLS))[:, far]
            spread[block], most[block] = fits.std(axis=1), fits.max(axis=1)
            fourth[block] = ((fits - fits.mean(axis=1, keepdims=True)) ** 4).mean(axis=1) / np.maximum(spread[block], 1e-6) ** 4
        return spread, most, fourth

    @cached_property
    def own_fit(self) -> Floats:
        """(m,) how each mask fits its image as they are."""
        return self.fit(self.masks, self.image_index)

    def fit(self, masks: Floats, image: Indices) -> Floats:
        """(m,) how each mask fits one image, given by number."""
        return np.asarray(np.einsum("nij,nij->n", masks, self.images[image]) / self.unit, np.float32)

    def turned_back(self, turn: Turn) -> Floats:
        """(m,) how each mask fits its own image once a turn is undone; NaN where the shapes do not allow it."""
        scores = self.fit(turn.undone(self.masks), self.image_index)
        return np.where(self.swapped, scores, np.nan) if turn.swaps_sides else scores

    def specific(self, masks: Floats, image: Indices) -> Floats:
        """(m,) by how much each mask fits one image better than the mean of up to 32 others; NaN where there are no two others."""
        n = len(self.images)
        if n < 3:
            return np.full(len(self), np.nan, np.float32)
        steps = np.unique(np.linspace(1, n - 1, min(_OTHER_IMAGES, n - 1)).astype(np.intp))
        others = np.mean([self.fit(masks, (image + step) % n) for step in steps], axis=0)
        return np.asarray((self.fit(masks, image) - others) / (1 + 1 / len(steps)) ** 0.5, np.float32)

    def against_all(self, chosen: Indices) -> Floats:
        """(chosen, n) how some masks fit every image."""
        flat = self.images.reshape(len(self.images), -1)
        return np.asarray(self.masks[chosen].reshape(len(chosen), -1) @ flat.T / self.unit[chosen, None], np.float32)

    @cached_property
    def independent(self) -> float:
        """How many independent pairs this set is worth: pairs that resemble each other in both image and mask say the same twice.

        The design effect of a correlated sample (Kish 1965, "Survey sampling"), the correlation of two pairs' scores being that of
        their images times that of their masks.
        """
        n = len(self)
        chosen = np.unique(np.linspace(0, n - 1, min(n, _PAIRS_COMPARED)).astype(np.intp))
        images, masks = (maps[chosen].reshape(len(chosen), -1) for maps in (self.images[self.image_index], self.masks))
        alike = float(np.maximum((images @ images.T) * (masks @ masks.T), 0).mean())  # 1 / len(chosen) where all differ
        between = max(0.0, (alike * len(chosen) - 1) / max(len(chosen) - 1, 1))
        return float(n / (1 + (n - 1) * between))

    def weight_of(self, scores: Floats) -> float:
        """One score for the set: the mean of the pairs' scores, none above 3 units, in units of its own error."""
        valid = scores[~np.isnan(scores)]
        if not len(valid):
            return float("nan")
        return float(np.clip(valid, -CLIP, CLIP).mean()) * float((self.independent * len(valid) / len(self)) ** 0.5)


def _units(maps: list[NDArray[np.int8]]) -> Floats:
    stack = np.array(maps, np.float32).reshape(-1, CELLS, CELLS)
    stack /= np.maximum(np.sqrt(np.einsum("nij,nij->n", stack, stack)), 1)[:, None, None]  # of whole numbers: 0, or 1 and more
    return stack

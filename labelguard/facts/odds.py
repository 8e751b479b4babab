"""How likely a batch holds nothing but masks of one kind, when masks are drawn at random without putting any back."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, exp, lgamma

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Epoch:
    """The batches of an epoch over shuffled masks.

    Parameters
    ----------
    masks
        How many masks there are, at least 1.
    batch_size
        As asked for, at least 1.
    """

    masks: int
    batch_size: int

    @property
    def size(self) -> int:
        """Masks in a full batch: fewer masks than that make one batch of all."""
        return min(self.batch_size, self.masks)

    @property
    def full(self) -> int:
        """The number of full batches."""
        return self.masks // self.size

    @property
    def last(self) -> int:
        """Masks in the last, smaller batch, which `drop_last` drops; 0 where there is none."""
        return self.masks % self.size


def share_of_such(such: int, size: int, total: int) -> float:
    """The share of batches that hold nothing but masks of one kind, C(such, size) / C(total, size): the hypergeometric distribution
    at its end.

    Parameters
    ----------
    such, total
        Masks of that kind, and all.
    size
        Masks in a batch, at most `total`.
    """
    return comb(such, size) / comb(total, size)


def shares_of_mixed(chances: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """The same where each mask is of that kind with a chance of its own, as random crops of it are.

    For a batch of k that is the mean of the product of their chances over all choices of k masks, the elementary symmetric polynomial
    divided by C(n, k). It is summed mask by mask: the n-th is among k of n with probability k / n.

    Parameters
    ----------
    chances
        (masks, kinds): the chance that a crop of the mask is of that kind, independent of every other crop.
    most
        The largest batch.

    Returns
    -------
    ndarray
        (most + 1, kinds): the share of batches of 0, 1, ..., `most` masks; 0 for more masks than there are.
    """
    shares = np.zeros((most + 1, chances.shape[1]))
    shares[0] = 1
    for n, chance in enumerate(chances, start=1):
        largest = min(n, most)
        among = np.arange(1, largest + 1)[:, np.newaxis] / n
        shares[1:largest + 1] = shares[1:largest + 1] * (1 - among) + shares[:largest] * (among * chance)
    return shares


def chance_of_none(total: int, holding: int, drawn: int) -> float:
    """The chance that files drawn at random hold no example: hypergeometric, C(total - holding, drawn) / C(total, drawn).

    Parameters
    ----------
    total, holding
        Number of files, and of those that hold the class.
    drawn
        How many of them are drawn.
    """
    if drawn > total - holding:
        return 0.0
    return exp(min(0.0, lgamma(total - holding + 1) + lgamma(total - drawn + 1) - lgamma(total - holding - drawn + 1) - lgamma(total + 1)))

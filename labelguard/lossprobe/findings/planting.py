"""Places in neutral masks where ids are planted, and what the loss makes of each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.search.neutral_masks import Pixel, neutral_masks
from labelguard.lossprobe.supervisor.outcome import RAISED, RANDOM, RIGHT, Outcome, PixelGradient, Runner

_HEIGHT, _WIDTH, _STRIP = 32, 16, 8     # of masks with an area: classes fill the strip at the top, and the area is the rest
_NOTICED = 0.01     # the share by which a loss has to rise: the mean over all pixels but one moves less
_CORE = 16                              # from this row on, a pixel is far from the strip, for a loss at an eighth of the resolution, too


class Patch:
    """A pixel or an area of neutral masks that holds one id after another, under the same logits.

    Parameters
    ----------
    run
        The loss.
    masks
        Neutral masks (N, H, W).
    pixel
        Where the gradient is looked at.
    rows
        In the mask of the pixel, the rows that hold the id; None: the pixel alone does.

    Attributes
    ----------
    noun : str
        What it is, in words.
    own : int
        The class that the pixel holds at first.
    """

    def __init__(self, run: Runner, masks: NDArray[np.int64], pixel: Pixel, rows: slice | None = None) -> None:
        self._run, self._masks, self._pixel, self._where = run, masks, pixel, pixel if rows is None else (pixel[0], rows)
        self._seen: dict[tuple[int, str], Outcome] = {}
        self.noun = "a pixel" if rows is None else "an area"
        self.own = int(masks[pixel])

    @property
    def runs(self) -> int:
        """How often the loss was run."""
        return len(self._seen)

    def at(self, value: int, regime: str = RANDOM) -> Outcome:
        """What becomes of the masks with an id planted."""
        if (value, regime) not in self._seen:
            self._seen[value, regime] = self._once(value, regime)
        return self._seen[value, regime]

    def fails_again(self, value: int) -> bool:
        """Whether a second run with an id fails, which then counts; one run of a loss with randomness in it shows little."""
        again = self._once(value, RANDOM)
        if again.failed:
            self._seen[value, RANDOM] = again
        return again.failed

    def silences_all(self, value: int) -> bool:
        """Whether nothing at all has a gradient where the patch holds an id, and something has where it holds a class."""
        mine, legal = self.at(value), self.at(self.own)
        return not mine.failed and mine.last.gradient == 0.0 and not legal.failed and bool(legal.last.gradient)

    def _once(self, value: int, regime: str) -> Outcome:
        planted = self._masks.copy()
        planted[self._where] = value
        return self._run(planted, (regime,), self._pixel)

    def gradient(self, value: int) -> PixelGradient | None:
        """The gradient at the pixel; None where the loss fails."""
        outcome = self.at(value)
        return None if outcome.failed else outcome.last.pixel

    def same(self, one: int, other: int) -> bool:
        """Whether two ids have the same loss, and the same gradient at the pixel."""
        return _alike(self.at(one), self.at(other))

    def repeats(self, value: int) -> bool:
        """Whether a second run with an id gives the same; a loss with randomness in it gives something else."""
        return _alike(self.at(value), self._once(value, RANDOM))

    def tells(self, value: int, classes: Collection[int]) -> bool:
        """Whether the loss looks here: the pixel has a gradient, and what the patch holds makes a difference."""
        own = self.gradient(self.own)
        return own is not None and own.largest > 0.0 and any(not self.same(self.own, other) for other in (value, *classes)
                                                             if other != self.own)

    def is_silent(self, value: int) -> bool:
        """Whether the pixel has no gradient where the patch holds an id, while others have one."""
        gradient = self.gradient(value)
        return gradient is not None and gradient.largest == 0.0 and bool(self.at(value).last.gradient)

    def counts_as_wrong(self, value: int, classes: Sequence[int]) -> bool:
        """Whether an id makes the loss rise where everything else is predicted with certainty, and right.

        The logits at an id that is not a class are those of the first class or, with one channel, of the second; so is what it is held
        against.
        """
        mine, legal = self.at(value, RIGHT), [self.at(label, RIGHT) for label in classes[:1 if len(classes) > 2 else 2]]
        highest = max((one.last.loss for one in legal if not one.failed and one.last.loss is not None), default=None)
        if mine.failed or mine.last.loss is None or highest is None:
            return False
        return mine.last.loss - highest > 1e-6 + _NOTICED * abs(highest)


def _alike(one: Outcome, other: Outcome) -> bool:
    """Whether two runs passed with the same loss, and the same gradient at the pixel."""
    mine, theirs = one.last, other.last
    a, b = mine.pixel, theirs.pixel
    if a is None or b is None or mine.loss is None or theirs.loss is None or one.failed or other.failed:
        return False
    scale = max(a.largest, b.largest)
    return (math.isclose(mine.loss, theirs.loss, rel_tol=1e-5, abs_tol=1e-9) and math.isclose(a.largest, b.largest, rel_tol=1e-3)
            and abs(a.total - b.total) <= 1e-3 * scale and (a.lowest == b.lowest or scale == 0))


def planted_pixels(run: Runner, num_classes: int, ignore: Collection[int], height: int, width: int) -> Iterator[Patch]:
    """Single pixels of two neutral masks: some places, then the pixels that have a gradient."""
    masks = neutral_masks(2, height, width, num_classes, without=ignore)
    first, *others = dict.fromkeys([(1, height // 2, width // 2), (0, height // 3, width // 4), (1, height // 5, 2 * width // 3)])
    patch = Patch(run, masks, first)
    yield patch
    yield from (Patch(run, masks, place) for place in others)
    yield from (Patch(run, masks, place) for place in patch.at(patch.own).last.nearest if place not in (first, *others))


class Area:
    """An area of a neutral mask, far larger than what one value of the smallest output of a network sees.

    A loss at a lower resolution may not read a single pixel at all, or the gradient there is that of all pixels around it. And where a
    loss has no gradient at a pixel by chance, as a hinge loss has, it has one elsewhere in an area.
    """

    def __init__(self, run: Runner, num_classes: int, ignore: Collection[int]) -> None:
        self.classes = [label for label in range(num_classes) if label not in ignore]
        masks = np.full((2, _HEIGHT, _WIDTH), self.classes[-1], np.int64)
        masks[0] = neutral_masks(1, _HEIGHT, _WIDTH, num_classes, without=ignore)[0]
        masks[1, :_STRIP] = neutral_masks(1, _STRIP, _WIDTH, num_classes, seed=1, without=ignore)[0]
        self.middle = (1, (_HEIGHT + _CORE) // 2, _WIDTH // 2)
        self._run, self._masks = run, masks
        self.whole = self._patch(self.middle)

    def _patch(self, pixel: Pixel) -> Patch:
        return Patch(self._run, self._masks, pixel, slice(_STRIP, _HEIGHT))

    def has_gradient(self, value: int) -> bool | None:
        """Whether any pixel in the middle of the area has a gradient while the area holds an id; None where the loss has none, or fails."""
        outcome = self.whole.at(value)
        if outcome.failed or not outcome.last.gradient:
            return None
        return any(sample == self.middle[0] and row >= _CORE for sample, row, _ in outcome.last.nearest)

    def ignores(self, value: int) -> bool | None:
        """Whether the loss leaves the area out where it holds an id, but not where it holds a class; None where that cannot be seen."""
        seen, mine = self.has_gradient(self.whole.own), self.has_gradient(value)
        return None if not seen or mine is None else not mine

    def refuses(self, value: int) -> bool:
        """Whether the loss gives up where the area holds an id, and passes where it holds a class; NaN may come from so many pixels."""
        return self.whole.at(value).last.status in RAISED and not self.whole.at(self.whole.own).failed

    def silences_its_mask(self, value: int) -> bool:
        """Whether the classes beside the area have no gradient either, where it holds an id."""
        outcome = self.whole.at(value)
        return not outcome.failed and bool(outcome.last.gradient) and all(sample != self.middle[0] for sample, _, _ in outcome.last.nearest)

    def patch(self) -> Patch:
        """The area, with the gradient looked at where there is one."""
        return self._patch(next(iter(self.whole.at(self.whole.own).last.nearest), self.middle))

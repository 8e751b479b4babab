"""How a loss interprets an id that is not a class, where it accepts the id without an error.

A loss that does not raise may clip an id to the first or last class, wrap it, train the pixel as "no class", or skip it. None of this
shows in the value of the loss alone. It shows when one pixel of neutral masks holds the id, then each class in turn, under the same
logits: ids with the same loss and the same gradient at the pixel are the same to the loss.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

import numpy as np

from labelguard.lossprobe.search.neutral_masks import Pixel, neutral_masks, plant
from labelguard.lossprobe.supervisor.outcome import RANDOM, RIGHT, Outcome, PixelGradient, Runner
from labelguard.text import count

_MOST_CLASSES = 32      # of more classes than this, only the likely ones are compared


class Reading(StrEnum):
    """What an id is to a loss."""

    REFUSED = "refused"    # the loss fails
    IGNORED = "ignored"    # the pixel has no gradient, although it has one where it holds a class
    CLASS = "class"        # the same as one of the classes
    NO_CLASS = "no-class"  # the same as another id that is not a class; usually all classes are pushed down
    NUMBER = "number"      # the loss calculates with the value of the id
    UNCLEAR = "unclear"    # none of this could be shown


@dataclass(frozen=True, slots=True)
class Interpretation:
    """How a loss interprets one id.

    Parameters
    ----------
    value
        The id.
    reading
        What the id is to the loss.
    outcome
        The outcome of the masks with one pixel of the id.
    label
        The class that the id is trained as, for `Reading.CLASS`.
    evidence
        What was compared, one sentence each.
    runs
        The number of runs that it took.
    """

    value: int
    reading: Reading
    outcome: Outcome
    label: int | None = None
    evidence: tuple[str, ...] = ()
    runs: int = 0


def interpret(run: Runner, value: int, num_classes: int, ignore: Collection[int] = (), height: int = 16, width: int = 16) -> Interpretation:
    """Find out how the loss interprets an id.

    Parameters
    ----------
    run
        The loss.
    value
        An id that is not a class. For a declared ignore id, only `Reading.IGNORED` is right.
    num_classes
        Classes are 0 to ``num_classes - 1``.
    ignore
        Ids that the loss is expected to skip.
    height, width
        Size of the two neutral masks in pixels. One pixel shows more clearly in small masks.
    """
    masks = neutral_masks(2, height, width, num_classes, without=ignore)
    places = list(dict.fromkeys([(1, height // 2, width // 2), (0, height // 3, width // 4), (1, height // 5, 2 * width // 3)]))
    pixels = [_ProbePixel(run, masks, place) for place in places]
    outcome = pixels[0].at(value)
    reading, label, evidence = _reading(pixels, value, [known for known in range(num_classes) if known not in ignore], ignore)
    return Interpretation(value, reading, outcome, label, tuple(evidence), sum(pixel.runs for pixel in pixels))


class _ProbePixel:
    """A pixel of neutral masks, tried with several ids."""

    def __init__(self, run: Runner, masks: np.ndarray, place: Pixel) -> None:
        self._run, self._masks, self.place = run, masks, place
        self._seen: dict[tuple[int, str], Outcome] = {}

    @property
    def runs(self) -> int:
        return len(self._seen)

    @property
    def own(self) -> int:
        """The class that the pixel has in the neutral masks."""
        return int(self._masks[self.place])

    def at(self, value: int, regime: str = RANDOM) -> Outcome:
        if (value, regime) not in self._seen:
            self._seen[value, regime] = self._run(plant(self._masks, self.place, value), (regime,), self.place)
        return self._seen[value, regime]

    def gradient(self, value: int) -> PixelGradient | None:
        outcome = self.at(value)
        return None if outcome.failed else outcome.last.pixel

    def same(self, one: int, other: int) -> bool:
        """Whether two ids have the same loss, and the same gradient at the pixel."""
        mine, theirs = self.at(one).last, self.at(other).last
        a, b = mine.pixel, theirs.pixel
        if a is None or b is None or mine.loss is None or theirs.loss is None or self.at(one).failed or self.at(other).failed:
            return False
        scale = max(a.largest, b.largest)
        return (math.isclose(mine.loss, theirs.loss, rel_tol=1e-5, abs_tol=1e-9) and math.isclose(a.largest, b.largest, rel_tol=1e-3)
                and abs(a.total - b.total) <= 1e-3 * scale and (a.lowest == b.lowest or scale == 0))

    def counts_as_wrong(self, value: int) -> bool:
        """Whether an id makes the loss rise where everything else is predicted with certainty, and right."""
        mine, legal = self.at(value, RIGHT), self.at(self.own, RIGHT)
        if mine.failed or legal.failed or mine.last.loss is None or legal.last.loss is None:
            return False
        return mine.last.loss - legal.last.loss > 1e-6 + 1e-3 * abs(legal.last.loss)

    def losses(self, *ids: int) -> str:
        """``loss 3.74867 with 255, 3.77271 with 0``."""
        return "loss " + ", ".join(f"{_short(self.at(label).last.loss)} with {label}" for label in ids)


def _reading(pixels: list[_ProbePixel], value: int, classes: list[int], ignore: Collection[int]) -> tuple[Reading, int | None, list[str]]:
    last = pixels[0].at(value).last
    if pixels[0].at(value).failed:
        return Reading.REFUSED, None, [f"one pixel of {value} in neutral masks: {last.status}{': ' * bool(last.error)}{last.error}"]
    telling = list(islice((pixel for pixel in pixels if _moves(pixel.gradient(pixel.own))), 2))
    if not telling:
        return Reading.UNCLEAR, None, ["the loss has no gradient at the pixels that were tried, whatever their class"]
    silent = [pixel for pixel in telling if (gradient := pixel.gradient(value)) is not None and gradient.largest == 0.0]
    if len(silent) == len(telling) and not telling[0].counts_as_wrong(value):
        pixel = telling[0]
        return Reading.IGNORED, None, [f"the gradient at a pixel of {value} is exactly 0, but not where the pixel has class {pixel.own}",
                                 pixel.losses(value, pixel.own)]
    pixel = next((pixel for pixel in telling if pixel not in silent), telling[0])
    likely = _likely(pixel, value, classes)
    if (label := next((label for label in likely if pixel.same(value, label)), None)) is not None:
        return _as_class(pixel, value, label)
    neighbor = next(near for near in [*_neighbors(value), *range(classes[-1] + 1, 2**20)] if near not in classes and near not in ignore)
    if pixel.same(value, neighbor):
        return _as_no_class(pixel, value, neighbor, likely)
    rest = [label for label in classes if label not in likely] if len(classes) <= _MOST_CLASSES else []
    if (label := next((label for label in rest if pixel.same(value, label)), None)) is not None:
        return _as_class(pixel, value, label)
    return _as_number(pixel, value, neighbor, len(likely) + len(rest))


def _moves(gradient: PixelGradient | None) -> bool:
    return gradient is not None and gradient.largest > 0.0


def _likely(pixel: _ProbePixel, value: int, classes: list[int]) -> list[int]:
    """Classes that the id may have become: the one that is pulled up, the first and last (clipped), and the remainders (wrapped)."""
    gradient = pixel.gradient(value)
    guesses = [gradient.lowest] if gradient else []
    guesses += [classes[0], classes[-1], value % (classes[-1] + 1), value % 2**8, value % 2**16, value % 2**32]
    return [label for label in dict.fromkeys(guesses) if label in classes]


def _neighbors(value: int) -> list[int]:
    """Nearby ids, preferably away from the classes, but of the same sign and width."""
    steps = (-1, -2, -3, 1, 2, 3) if value < 0 else (1, 2, 3, 4, 5, 6)
    if value in (2**8 - 1, 2**16 - 1, 2**31 - 1, 2**32 - 1, 2**63 - 1):
        steps = (-1, -2, -3, -4, -5, -6)
    return [value + step for step in steps] if value > -2**63 else [value + step for step in range(1, 7)]


def _as_class(pixel: _ProbePixel, value: int, label: int) -> tuple[Reading, int, list[str]]:
    others = [pixel.own] if pixel.own != label else []
    return Reading.CLASS, label, [f"a pixel of {value} has the same loss and the same gradient as a pixel of class {label}",
                            pixel.losses(value, label, *others)]


def _as_no_class(pixel: _ProbePixel, value: int, neighbor: int, likely: list[int]) -> tuple[Reading, None, list[str]]:
    gradient, own = pixel.gradient(value), pixel.gradient(pixel.own)
    evidence = [f"{neighbor} has the same loss and gradient; {count(len(likely), 'class differs', 'classes differ')}",
                pixel.losses(value, neighbor, pixel.own)]
    if gradient and own and gradient.total > max(1e-3 * gradient.largest, own.total):
        evidence.insert(0, f"the gradient at the pixel sums to {_short(gradient.total)} over the classes, against {_short(own.total)} for "
                           f"class {pixel.own}: the classes are pushed down")
    if gradient and gradient.largest == 0.0:
        evidence.insert(0, "the pixel has no gradient, but it makes the loss rise where all others are predicted right: it is not ignored")
    return Reading.NO_CLASS, None, evidence


def _as_number(pixel: _ProbePixel, value: int, neighbor: int, compared: int) -> tuple[Reading, None, list[str]]:
    """Neither a class nor the same as its neighbor: a number, if the loss or the gradient changes with its value."""
    evidence = [f"{count(compared, 'class', 'classes')} compared: another loss or gradient each", pixel.losses(value, neighbor, pixel.own)]
    mine, near, own = pixel.gradient(value), pixel.gradient(neighbor), pixel.gradient(pixel.own)
    step, legal = pixel.at(value).last, pixel.at(pixel.own).last
    if step.loss is not None and legal.loss is not None and step.loss < 0 <= legal.loss:
        return Reading.NUMBER, None, [f"the loss is below 0 with one pixel of {value}: it calculates with the id as a number",
                                      *evidence]
    if mine and near and own and (_in_line((value, mine.total), (neighbor, near.total), (pixel.own, own.total))
                                  or (abs(value) > abs(neighbor) and mine.largest > near.largest > 2 * own.largest)):
        return Reading.NUMBER, None, [f"the gradient at the pixel changes with the id: it sums to {_short(mine.total)} with {value}, "
                                f"{_short(near.total)} with {neighbor}, {_short(own.total)} with class {pixel.own}", *evidence]
    return Reading.UNCLEAR, None, evidence


def _in_line(*points: tuple[int, float]) -> bool:
    """Whether the values of three numbers lie on one slanted line."""
    (a, at_a), (b, at_b), (c, at_c) = points
    near, far = (at_a - at_b) / (a - b), (at_a - at_c) / (a - c)
    return near != 0 and math.isclose(near, far, rel_tol=0.02)


def _short(number: float | None) -> str:
    return "none" if number is None else f"{number:.6g}"

"""Evidence: what the search for a cause has seen, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from labelguard.lossprobe.search.candidates import Candidate
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.search.neutral_masks import Pixel
from labelguard.lossprobe.supervisor.outcome import Labels, Outcome
from labelguard.text import count, id_ranges, listed


class Evidence:
    """What a search has seen, one sentence each, in the order in which it was seen.

    Parameters
    ----------
    names
        The names of the masks of the batch.
    ignore
        Ids that the loss is expected to skip.

    Attributes
    ----------
    lines : list of str
        The sentences.
    mentions_neutral_masks : bool
        Whether they speak of neutral masks.
    """

    def __init__(self, names: Sequence[str], ignore: Collection[int]) -> None:
        self.names, self.ignore = names, ignore
        self.lines: list[str] = []
        self.mentions_neutral_masks = False
        self._pixel_named = False

    # Neutral masks

    def neutral_masks_fail(self, number: int, alike: bool) -> None:
        """So many neutral masks fail; `alike` tells whether in the same way as the batch."""
        self._say(f"{count(number, 'neutral mask')} of the same shape, each with every class, "
                  f"{_fail(number)} {'in the same way' if alike else 'in another way'}", neutral=True)

    def they_pass_without(self, classes: Sequence[int]) -> None:
        """The neutral masks pass where they lack some classes."""
        self._say(f"without {_classes(classes)} they pass")

    # Ids that are not a class

    def fails_without(self, candidates: Sequence[Candidate]) -> None:
        """The batch fails in the same way without any of the candidates."""
        self._say(f"without {_pixels(candidates)} the batch fails as well")

    def differs_without(self, candidates: Sequence[Candidate], outcome: Outcome) -> None:
        """The batch passes without the candidates, or fails in another way."""
        self._say(f"without {_pixels(candidates)} the batch {_difference(outcome)} (1 run)")

    def one_pixel_fails(self, value: int, pixel: Pixel) -> None:
        """One pixel of an id is enough to make neutral masks fail."""
        place = f"row {pixel[1]}, column {pixel[2]} of {self.names[pixel[0]]}"
        self._say(f"one pixel of {value} in neutral masks fails in the same way: {place}", neutral=True)
        self._pixel_named = True

    def without_the_proven(self, proven: Sequence[int], rest: Sequence[int], alike: bool, outcome: Outcome) -> None:
        """What the batch does without the ids that were proven to fail, but with the other candidates."""
        self._say(f"without {id_ranges(proven)}, but with {id_ranges(rest)}, the batch "
                  f"{'fails in the same way: more is at fault' if alike else _difference(outcome)} (1 run)")

    # Absent classes

    def another_class_helps(self, needed: int, other: int) -> None:
        """Planting a pixel of any class makes the masks pass."""
        self._say(f"a pixel of class {needed} is enough for it to pass, and one of class {other} is too")

    def another_class_does_not_help(self, other: int) -> None:
        """Only the classes that the masks lack make them pass."""
        self._say(f"pixels of class {other} in the same places do not help")

    def each_absence_is_enough(self, classes: Sequence[int]) -> None:
        """The masks fail as well where a single one of several classes is missing, whichever."""
        self._say(f"with all of {_classes(classes)} planted but one it fails as well, whichever that is ({count(len(classes), 'run')})")

    # The end of the search

    def unstable(self, what: str, failed: int, tried: int) -> None:
        """The same run fails only sometimes."""
        self._say(f"{what} failed {failed} of {tried} times")

    def stopped(self, runs: int, level: str) -> None:
        """No run, or no worker, is left."""
        self._say(f"the search was stopped after {count(runs, 'run')}, at the level of the {level}")

    def smallest_case(self, cause: Cause, work: Labels) -> None:
        """What the shrinking has shown; what was tried before has been said already.

        Parameters
        ----------
        cause
            What was found.
        work
            The batch that was shrunk, (N, H, W).
        """
        level, masks, size = cause.level, cause.masks, len(work)
        names = listed((self.names[index] for index in masks), 4) if len(masks) < max(2, size) else f"all {len(masks)} masks"
        neutral = size > len(masks)
        rest = "among neutral masks " if neutral else ""
        if level == "pixel" and cause.pixel is not None and not self._pixel_named:
            self.one_pixel_fails(cause.ids[0], cause.pixel)
        elif cause.absence:
            absent = cause.absence.classes
            planted = (f"of class {listed(absent, word='or')}" if cause.absence.together else
                       f"{'each ' * (len(absent) > 1)}of {_classes(absent)}")
            self._say(f"{names} {rest}{_fail(len(masks))}, and {'passes' if len(masks) == 1 else 'pass'} with one pixel {planted} in "
                      f"{self.names[masks[0]]}", neutral)
        elif level == "mask-set":
            self._say(f"{names} {rest}fail together; with any of them replaced, the others pass", neutral)
        elif level == "mask":
            self._say(f"{names} {rest}fails in the same way, and no part of it does so alone", neutral)
        elif level in ("ids", "region"):
            row0, column0, row1, column1 = cause.box or (0, 0, 0, 0)
            self._say(f"with neutral content around them, the pixels of {id_ranges(cause.ids)} in rows {row0} to {row1 - 1}, columns "
                      f"{column0} to {column1 - 1} of {names} fail in the same way, and no smaller part of them was found that does")
        if level in ("absent-class", "mask-set", "mask"):
            self._only_id(masks, work)

    def _only_id(self, masks: Sequence[int], work: Labels) -> None:
        """What the masks hold, where all of them hold one and the same id."""
        held = {tuple(np.unique(work[index]).tolist()) for index in masks}
        only = next(iter(held))
        if len(held) == len(only) == 1:
            ignored = ", which is ignored" if only[0] in self.ignore else ""
            self._say(f"{'it holds' if len(masks) == 1 else 'each of them holds'} nothing but {only[0]}{ignored}")

    def _say(self, line: str, neutral: bool = False) -> None:
        """Add a sentence; `neutral` tells whether it speaks of neutral masks."""
        self.lines.append(line)
        self.mentions_neutral_masks |= neutral


def _fail(number: int) -> str:
    return "fails" if number == 1 else "fail"


def _difference(outcome: Outcome) -> str:
    """What a run did that does not fail in the same way."""
    return "fails in another way" if outcome.failed else "passes"


def _classes(ids: Sequence[int]) -> str:
    return f"class {ids[0]}" if len(ids) == 1 else f"classes {id_ranges(ids)}"


def _pixels(candidates: Sequence[Candidate]) -> str:
    """``its 1 pixel of 255``."""
    pixels = sum(candidate.pixels for candidate in candidates)
    return f"its {count(pixels, 'pixel')} of {id_ranges(sorted({candidate.value for candidate in candidates}))}"

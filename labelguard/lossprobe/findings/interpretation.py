"""How a loss interprets an id that is not a class, where it accepts the id without an error.

A loss that does not raise may clip an id to the first or last class, wrap it, train the pixel as "no class", or skip it. None of this
shows in the value of the loss alone. It shows when one pixel of neutral masks holds the id, then each class in turn, under the same
logits: ids with the same loss and the same gradient at the pixel are the same to the loss.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from labelguard.lossprobe.findings.planting import Area, Patch, planted_pixels
from labelguard.lossprobe.supervisor.outcome import Outcome, Runner
from labelguard.text import count, id_ranges

_MOST_CLASSES = 32      # of more classes than this, only the likely ones are compared


class Reading(StrEnum):
    """What an id is to a loss."""

    REFUSED = "refused"    # the loss fails
    IGNORED = "ignored"    # the pixel has no gradient, although it has one where it holds a class
    DROPS_MASK = "mask"    # no pixel of a mask that holds it has a gradient
    DROPS_BATCH = "batch"  # nothing has a gradient where a single pixel holds it
    CLASS = "class"        # the same as one of the classes
    NO_CLASS = "no-class"  # the same as another id that is not a class; usually all classes are pushed down
    NUMBER = "number"      # every such id has another loss or gradient: the loss calculates with its value
    OTHER = "other"        # neither ignored nor like any class; other ids cannot be compared
    UNCLEAR = "unclear"    # nothing can be compared: the loss has no gradient, or is not the same twice


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
        The outcome of neutral masks with a pixel or an area of the id.
    label
        The class that the id is trained as, for `Reading.CLASS`.
    evidence
        What was compared, one sentence each.
    runs
        The number of runs that it took.
    noun
        What of the id was planted: ``a pixel``, or ``an area``.
    """

    value: int
    reading: Reading
    outcome: Outcome
    label: int | None = None
    evidence: tuple[str, ...] = ()
    runs: int = 0
    noun: str = "a pixel"


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
    return _Reader(run, value, num_classes, ignore, (height, width)).interpretation()


class _Reader:
    """Reads what the loss makes of one id."""

    def __init__(self, run: Runner, value: int, num_classes: int, ignore: Collection[int], size: tuple[int, int]) -> None:
        self.value = value
        self.classes = [known for known in range(num_classes) if known not in ignore]
        self.pixels = planted_pixels(run, num_classes, ignore, *size)
        self.first = next(self.pixels)
        self.area = Area(run, num_classes, ignore)
        self.tried = [self.first, self.area.whole]
        self.shown = self.first     # where the reading can be seen
        self.others = _others(value, {*self.classes, *ignore})

    def interpretation(self) -> Interpretation:
        reading, label, evidence = self._read()
        return Interpretation(self.value, reading, self.shown.at(self.value), label, tuple(evidence), sum(one.runs for one in self.tried),
                              self.shown.noun)

    def _read(self) -> tuple[Reading, int | None, list[str]]:
        value = self.value
        if self.first.at(value).failed:
            if self.first.at(self.first.own).failed:
                return Reading.UNCLEAR, None, ["neutral masks of this size fail, whatever the pixel holds"]
            return self._refused(self.first)
        if self.area.refuses(value):
            self.shown = self.area.whole
            return self._refused(self.area.whole)
        if self.first.silences_all(value):
            return Reading.DROPS_BATCH, None, [f"nothing has a gradient once {self.first.noun} holds {value}",
                                               _losses(self.first, value, self.first.own)]
        ignored = self.area.ignores(value)
        if ignored and self.area.silences_its_mask(value):
            return Reading.DROPS_MASK, None, [f"once an area of a mask holds {value}, the rest of that mask has no gradient either"]
        if ignored and (shown := next((one for one in (self.first, self.area.whole) if one.fails_again(value)), None)):
            self.shown = shown
            return self._refused(shown)
        if ignored and not self.first.counts_as_wrong(value, self.classes):
            return self._ignored(self.area.whole)
        patch = self._telling_patch()
        if patch is None:
            return Reading.UNCLEAR, None, ["the loss has no gradient that depends on what the pixels hold that were tried"]
        self.shown = patch
        if patch.at(value).failed:
            return self._refused(patch)
        if ignored is None and patch.is_silent(value) and not patch.counts_as_wrong(value, self.classes):
            return self._ignored(patch)
        likely = _likely(patch, value, self.classes)
        if (label := next((label for label in likely if patch.same(value, label)), None)) is not None:
            return self._class(patch, label)
        return self._not_a_class(patch, likely)

    def _telling_patch(self) -> Patch | None:
        """Where the loss looks, at best with a gradient for the id as well."""
        found = None
        for patch in self._places():
            if patch.tells(self.value, self._ends):
                if not patch.is_silent(self.value):
                    return patch
                if found is not None:
                    break
                found = patch
        return found

    @property
    def _ends(self) -> tuple[int, int]:
        return self.classes[0], self.classes[-1]

    def _places(self) -> Iterator[Patch]:
        yield self.first
        for patch in chain(self.pixels, map(Area.patch, [self.area])):
            self.tried.append(patch)
            yield patch

    def _not_a_class(self, patch: Patch, likely: list[int]) -> tuple[Reading, int | None, list[str]]:
        """What an id is that is not ignored, and not a likely class."""
        value = self.value
        accepted = [other for other in self.others if not patch.at(other).failed]
        like = [other for other in accepted if patch.same(value, other)]
        if len(like) > 1:
            return _as_no_class(patch, value, like[0], likely)
        rest = self.classes if len(self.classes) <= _MOST_CLASSES else likely
        if (label := next((label for label in rest if patch.same(value, label)), None)) is not None:
            return self._class(patch, label)
        evidence = [f"{count(len(rest), 'class', 'classes')} compared: another loss or gradient each",
                    _losses(patch, value, *accepted, patch.own)]
        if not patch.repeats(value):
            return Reading.UNCLEAR, None, ["the same masks do not have the same loss or gradient twice", *evidence]
        if len(accepted) - len(like) < 2 and len(self.others) > len(accepted):
            return Reading.OTHER, None, [*evidence, f"{id_ranges(sorted(set(self.others) - set(accepted)))} cannot be compared: refused"]
        return _as_number(patch, value, accepted, evidence)

    def _refused(self, patch: Patch) -> tuple[Reading, None, list[str]]:
        last, noun = patch.at(self.value).last, patch.noun.replace("a ", "one ")
        return Reading.REFUSED, None, [f"{noun} of {self.value} in neutral masks: {last.status}{': ' * bool(last.error)}{last.error}"]

    def _ignored(self, patch: Patch) -> tuple[Reading, None, list[str]]:
        return Reading.IGNORED, None, [f"the gradient at {patch.noun} of {self.value} is exactly 0, but not at {patch.noun} of class "
                                       f"{patch.own}", _losses(patch, self.value, patch.own)]

    def _class(self, patch: Patch, label: int) -> tuple[Reading, int, list[str]]:
        others = [patch.own] if patch.own != label else []
        says = f"{patch.noun} of {self.value} has the same loss and the same gradient as {patch.noun} of class {label}"
        return Reading.CLASS, label, [says, _losses(patch, self.value, label, *others)]


def _likely(patch: Patch, value: int, classes: list[int]) -> list[int]:
    """Classes that the id may have become: the one that is pulled up, the first and last (clipped), and the remainders (wrapped)."""
    gradient = patch.gradient(value)
    guesses = [gradient.lowest] if gradient else []
    guesses += [classes[0], classes[-1], value % (classes[-1] + 1), value % 2**8, value % 2**16, value % 2**32]
    return [label for label in dict.fromkeys(guesses) if label in classes]


def _others(value: int, known: Collection[int]) -> list[int]:
    """Three more ids that are neither a class nor ignored: two beside the id, preferably away from the classes, and one far from it.

    They have its sign and, as far as possible, its width. The far one is another number in half precision, too.
    """
    away = -1 if value < 0 or value in (2**8 - 1, 2**16 - 1, 2**31 - 1, 2**32 - 1, 2**63 - 1) else 1
    steps = range(1, len(known) + 12)
    beside = [value + away * step for step in steps] + [value - away * step for step in steps]

    def usable(ids: Iterable[int]) -> Iterator[int]:
        return (other for other in ids if other not in known and -2**63 <= other < 2**63)

    near = list(islice(usable(beside), 2))
    far = usable((value // 2, 2 * value + (1 if value > 0 else -1), *beside[8:]))
    return [*near, *islice((other for other in far if other not in (value, *near)), 1)]


def _as_no_class(patch: Patch, value: int, other: int, likely: list[int]) -> tuple[Reading, None, list[str]]:
    gradient, own = patch.gradient(value), patch.gradient(patch.own)
    evidence = [f"{other} has the same loss and gradient; {count(len(likely), 'class differs', 'classes differ')}",
                _losses(patch, value, other, patch.own)]
    if gradient and own and gradient.total > max(1e-3 * gradient.largest, own.total):
        evidence.insert(0, f"the gradient at the pixel sums to {_short(gradient.total)} over the classes, against {_short(own.total)} for "
                           f"class {patch.own}: the classes are pushed down")
    if gradient and gradient.largest == 0.0:
        evidence.insert(0, "the pixel has no gradient, but it makes the loss rise where all others are predicted right: it is not ignored")
    return Reading.NO_CLASS, None, evidence


def _as_number(patch: Patch, value: int, others: list[int], evidence: list[str]) -> tuple[Reading, None, list[str]]:
    step, legal, below = patch.at(value).last, patch.at(patch.own).last, list[str]()
    if step.loss is not None and legal.loss is not None and step.loss < 0 <= legal.loss:
        below = [f"the loss is below 0 with {patch.noun} of {value}"]
    sums = [f"{_short(gradient.total)} with {label}" for label in (value, *others) if (gradient := patch.gradient(label))]
    own = patch.gradient(patch.own)
    changes = f"the loss and the gradient change with the id: at the pixel, the gradient sums to {', '.join(sums)}"
    return Reading.NUMBER, None, [*below, f"{changes}, {_short(own.total if own else None)} with class {patch.own}", *evidence]


def _losses(patch: Patch, *ids: int) -> str:
    """``loss 3.74867 with 255, 3.77271 with 0``."""
    return "loss " + ", ".join(f"{_short(patch.at(label).last.loss)} with {label}" for label in ids)


def _short(number: float | None) -> str:
    return "none" if number is None else f"{number:.6g}"

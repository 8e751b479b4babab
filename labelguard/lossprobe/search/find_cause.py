"""From a batch that fails to its cause: a pixel, or the wider level that is really responsible.

Nothing is ever removed from a batch: what is found innocent is replaced by neutral content. A loss may turn NaN because of the composition
of a batch, and a smaller batch is composed differently.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.findings.evidence import Evidence
from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.absent_classes import needed_classes
from labelguard.lossprobe.search.candidates import Candidate, candidates
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.search.ddmin import shortest_run
from labelguard.lossprobe.search.neutral_masks import neutral_masks, plant, replace_ids
from labelguard.lossprobe.search.oracle import BudgetSpentError, Oracle
from labelguard.lossprobe.search.shrink import FailingCase
from labelguard.lossprobe.supervisor.outcome import Labels, Outcome, Runner

_MOST_TRIED = 64
_MOST_PROVEN = 8            # ids that are proven one by one
_MOST_PROVEN_COSTLY = 2     # the same where each proof costs a worker


def find_cause(run: Runner, labels: Labels, outcome: Outcome, num_classes: int, ignore: Collection[int] = (), *,
                 names: Sequence[str] = (), most_runs: int = 200, most_deaths: int = 12) -> Cause:
    """Find out why a batch fails.

    Parameters
    ----------
    run
        The loss.
    labels
        The batch, ids of shape (N, H, W).
    outcome
        Its failure. Only the regime in which it failed is run again.
    num_classes
        Classes are 0 to ``num_classes - 1``.
    ignore
        Ids that the loss is expected to skip.
    names
        The names of the masks in the evidence.
    most_runs, most_deaths
        How many runs the search may make, and how many workers these may cost.

    Raises
    ------
    UsageError
        When every class is ignored.
    """
    names = names or [f"mask {index}" for index in range(len(labels))]
    search = _Search(Oracle(run, outcome, most_runs, most_deaths), labels.astype(np.int64), num_classes, tuple(ignore),
                     Evidence(names, ignore))
    try:
        search.go()
    except BudgetSpentError:
        search.stop()
    return search.cause()


class _Search:
    def __init__(self, oracle: Oracle, labels: NDArray[np.int64], num_classes: int, ignore: tuple[int, ...], evidence: Evidence) -> None:
        self.oracle, self.labels, self.num_classes, self.ignore, self.evidence = oracle, labels, num_classes, ignore, evidence
        self.classes = [label for label in range(num_classes) if label not in ignore]
        self.case = FailingCase(oracle, labels, self._neutral())
        self.level = ""         # until it is settled, the case says it
        self.absence: Absence | None = None
        self.repeats = (1, 1)

    def go(self) -> None:
        if self._neutral_passes() and not self._prove_candidates():
            self._shrink()

    # Neutral masks

    def _neutral(self, without: Collection[int] = ()) -> NDArray[np.int64]:
        masks, height, width = self.labels.shape
        return neutral_masks(masks, height, width, self.num_classes, without={*self.ignore, *without})

    def _passes(self, labels: Labels) -> bool:
        return not self.oracle.fails(labels) and not self.oracle.latest.failed

    def _neutral_passes(self) -> bool:
        """Whether there are neutral masks that pass; classes that they have to do without become candidates."""
        base = self.case.base
        if self._passes(base):
            return True
        outcome = self.oracle.latest
        alike = self.oracle.first.same_failure(outcome)
        self.level, self.case.minimal, self.case.decisive = "shape", base, outcome
        self.evidence.neutral_masks_fail(len(base), alike)
        refused = self._refused_classes() if outcome.last.status not in ("timeout", "out-of-memory") else []
        if refused:
            self.level, self.case = "", FailingCase(self.oracle, self.labels, self._neutral(refused))
            self.classes = [label for label in self.classes if label not in refused]
            self.evidence.they_pass_without(refused)
            return True
        if alike:
            self._confirm()
        return False

    def _refused_classes(self) -> list[int]:
        """The shortest run of consecutive classes without which neutral masks pass; empty where there is none.

        A loss made for fewer classes refuses the last ones; a weight that is NaN spoils one class. Other classes in such a run are
        cleared when each is tried alone.
        """
        held, counts = np.unique(self.labels[np.isin(self.labels, self.classes)], return_counts=True)
        for only in dict.fromkeys([*held[np.argsort(counts)[-1:]].tolist(), *self.classes[:1]]):
            others = [label for label in self.classes if label != only]
            if others and self._passes(self._neutral(others)):
                return shortest_run(others, lambda without: self._passes(self._neutral(without)))
        return []

    # Ids that are not a class

    def _prove_candidates(self) -> bool:
        """Try each candidate as one pixel, at its place, in neutral masks; whether any of them fails alone."""
        found = candidates(self.labels, self.classes, self.ignore)
        if not found:
            return False
        replaced = self._without({candidate.value for candidate in found})
        if self.oracle.fails(replaced):
            self.case.restart(replaced)
            self.evidence.fails_without(found)
            return False
        self.evidence.differs_without(found, self.oracle.latest)
        proven = self._try_alone(found)
        if proven:
            self._check_the_rest(found, proven)
            self._confirm()
        return bool(proven)

    def _without(self, ids: Collection[int]) -> NDArray[np.int64]:
        return replace_ids(self.labels, ids, self.classes, self.case.base)

    def _try_alone(self, found: list[Candidate]) -> list[Candidate]:
        case, proven = self.case, list[Candidate]()
        for candidate in found[:_MOST_TRIED]:
            if len(proven) >= (_MOST_PROVEN_COSTLY if self.oracle.costly else _MOST_PROVEN):
                break
            if any(candidate.value == other.value for other in proven):
                continue  # one proof for an id is enough
            alone = plant(case.base, candidate.pixel, candidate.value)
            if self.oracle.fails(alone):
                if not proven:
                    self.level, case.minimal, case.decisive = "pixel", alone, self.oracle.latest
                    case.keep = np.zeros_like(case.keep)
                case.keep[candidate.pixel] = True
                proven.append(candidate)
                self.evidence.one_pixel_fails(candidate.value, candidate.pixel)
        return proven

    def _check_the_rest(self, found: list[Candidate], proven: list[Candidate]) -> None:
        """Whether the batch passes without the ids that were proven to fail."""
        values = {candidate.value for candidate in proven}
        rest = sorted({candidate.value for candidate in found} - values)
        if rest:
            alike = self.oracle.fails(self._without(values))
            self.evidence.without_the_proven(sorted(values), rest, alike, self.oracle.latest)

    # Anything else

    def _shrink(self) -> None:
        case = self.case
        if case.work is self.labels and not self._fails_again():
            return
        case.take_hint()
        if case.level() != "pixel":
            case.shrink_masks()
            self.absence = needed_classes(case, self.classes, self.evidence)
            if self.absence:
                self.level = "absent-class"
            else:
                case.shrink_ids()
                case.shrink_box()
        self._confirm()

    def _fails_again(self) -> bool:
        times = 1 if self.oracle.costly else 3
        failed = self.oracle.repeat(self.labels, times)
        self.case.decisive = self.oracle.latest if self.oracle.latest.failed else self.case.decisive
        if failed < times:
            more = 3 - times
            self._unstable(1 + failed + self.oracle.repeat(self.labels, more), 4, "the batch itself")
        return failed == times

    def _confirm(self) -> None:
        """Repeat the decisive runs, the one that fails and the one that passes, unless each failure costs a worker."""
        if self.oracle.costly:
            return
        failed = 1 + self.oracle.repeat(self.case.minimal, 2)
        self.repeats = (failed, 3)
        if failed < 3:
            self._unstable(failed, 3, "the smallest case")
        elif self.level != "shape" and (failed := self.oracle.repeat(self.case.base, 2)):
            self._unstable(failed, 3, "a neutral batch")

    def _unstable(self, failed: int, tried: int, what: str) -> None:
        self.level, self.repeats, self.absence = "unstable", (failed, tried), None
        self.evidence.unstable(what, failed, tried)

    # The end

    def stop(self) -> None:
        """Break the search off, with what was found so far."""
        level = self.level or self.case.level()
        if not self.level and len(self.case.masks()) == len(self.labels) > 1:
            self.level = level = "batch"
        self.evidence.stopped(self.oracle.runs, level)

    def cause(self) -> Cause:
        """What was found."""
        case, level = self.case, self.level or self.case.level()
        inside = level not in ("batch", "shape", "unstable")
        masks = tuple(case.masks()) if inside else ()
        ids = tuple(case.ids()) if inside and level != "absent-class" else ()
        if level == "unstable":
            case.minimal, case.decisive = self.labels, self.oracle.first
        cause = Cause(
            level=level, outcome=case.decisive, minimal=case.minimal, masks=masks, ids=ids,
            pixel=case.pixel() if level == "pixel" else None, box=case.box() if level in ("pixel", "ids", "region") else None,
            absence=self.absence, repeats=self.repeats, runs=self.oracle.runs, deaths=self.oracle.deaths)
        self.evidence.smallest_case(cause, case.work)
        return replace(cause, evidence=tuple(self.evidence.lines), mentions_neutral_masks=self.evidence.mentions_neutral_masks)

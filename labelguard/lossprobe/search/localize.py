"""FaultLocalizer: why batches fail, and which ids the loss is known to refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelguard.lossprobe.batch_plan import Batch
from labelguard.lossprobe.findings.finding_writer import FindingWriter
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.absent_classes import absence_in_set
from labelguard.lossprobe.search.cause import Cause
from labelguard.lossprobe.search.find_cause import find_cause
from labelguard.lossprobe.search.neutral_masks import neutral_masks, replace_ids
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import BatchRunner, LossNotLoadedError, LossRunner, RestartLimitError
from labelguard.spec.labelspec import LabelSpec

_ENOUGH_REFUSED = 3      # after this many ids, the other ids on the same side of the classes count as refused too
_MOST_SEARCHED = 3       # failures of one kind are searched; the others are counted
_RESERVE = 4             # restarts that a search leaves for the following batches


class FaultLocalizer:
    """Finds out why batches of one loss fail.

    Parameters
    ----------
    run
        The loss.
    masks, spec
        What is probed.
    writer
        Puts the findings into words.
    findings
        Where the findings go.

    Attributes
    ----------
    refused : set of int
        Ids that the loss is known to refuse.
    """

    def __init__(self, run: LossRunner, masks: MaskSource, spec: LabelSpec, writer: FindingWriter, findings: list[LossFinding]) -> None:
        self.run, self.masks, self.spec, self.writer, self.findings = run, masks, spec, writer, findings
        self.classes = spec.last + 1
        self.refused: set[int] = set()
        self._cleared: set[int] = set()     # ids that are not a class, in batches that failed for another reason
        self._searched: Counter[tuple[str, str]] = Counter()
        self._absences: dict[tuple[str, str], Absence] = {}     # what the loss was found to need

    def without(self, ids: set[int], labels: Labels) -> Labels:
        """The same batch with some ids replaced by classes, so that the rest of it is probed anyway."""
        if not ids or not np.isin(labels, list(ids)).any():
            return labels
        classes = [label for label in range(self.classes) if label not in {*ids, *self.spec.ignore_index}]
        return replace_ids(labels, ids, classes, self._neutral(labels, ids))

    def _neutral(self, labels: Labels, without: Collection[int] = ()) -> NDArray[np.int64]:
        count, height, width = labels.shape
        return neutral_masks(count, height, width, self.classes, without=(*self.spec.ignore_index, *without))

    def find(self, batch: Batch, labels: Labels, run: BatchRunner, outcome: Outcome) -> set[int]:
        """Find out and report why a batch fails; returns the ids that count as refused from now on."""
        step = outcome.last
        kind = (step.status, step.regime)
        names = [self.masks.contents[member].name for member in batch.members]
        absence = self._absences.get(kind)
        if absence and self._explains(absence, run, labels, outcome):
            self.findings[:] = self.writer.count_alike(self.findings, step, batch, absence)
            return set()
        odd = {label for label in np.unique(labels).tolist() if not self.spec.is_class(label)}
        if self._searched[kind] >= _MOST_SEARCHED and odd <= self._cleared:
            self._searched[kind] += 1
            self.findings[:] = self.writer.count_alike(self.findings, step, batch)
            return set()
        cause = self._search(run, labels, outcome, names)
        self._searched[kind] += 1
        if cause.level == "shape" and self._passes_in_new_process(run, cause):
            self.findings.append(self.writer.carried_over(batch, step))
            return set()
        if self._refuses(cause):
            ids = self._refuse(cause)
            self.findings.append(self.writer.refused_ids(batch, cause, ids))
            return ids
        self._cleared |= odd
        cause, concerned = self._in_set(run, cause, kind)
        too_small = cause.level == "shape" and not cause.outcome.died and not run.twice(cause.minimal, step.regime).failed
        slowly = cause.outcome.last.status in NOT_FINITE and cause.level != "unstable"
        explained = run.explained(cause.minimal, cause.outcome) if slowly else cause.outcome
        self.findings.append(self.writer.caused(batch, cause, explained, too_small, concerned))
        return set()

    def _in_set(self, run: BatchRunner, cause: Cause, kind: tuple[str, str]) -> tuple[Cause, tuple[str, ...]]:
        """The cause, with all classes whose absence has this effect, and the names of the masks of the set that lack such a class."""
        if cause.absence is None:
            return cause, ()
        absence = cause.absence
        if run.images is None and not cause.outcome.died:
            absence = absence_in_set(run, cause.minimal.shape, cause.outcome, absence, self.classes, self.spec.ignore_index,
                                     [mask.ids for mask in self.masks.contents], alone=self.run.settings.batch_size == 1)
            self._absences[kind] = absence
        known = {*range(self.classes), *self.spec.ignore_index}  # a mask of nothing else is at fault for that
        probed = (mask for mask in self.masks.contents if not known.isdisjoint(mask.ids))
        concerned = () if absence.from_batch else tuple(mask.name for mask in probed if absence.concerns(mask.ids))
        return replace(cause, absence=absence), concerned

    def _explains(self, absence: Absence, run: BatchRunner, labels: Labels, outcome: Outcome) -> bool:
        """Whether a batch fails for want of classes: it passes once neutral masks stand in for the masks that lack them."""
        present = [set(np.unique(mask).tolist()) for mask in labels]
        lacking = [index for index, ids in enumerate(present) if absence.concerns(ids)]
        if absence.from_batch:
            lacking = [0] if absence.concerns(set().union(*present)) else []
        mended = labels.astype(np.int64)
        mended[lacking] = self._neutral(labels)[lacking]
        return bool(lacking) and not outcome.same_failure(run(mended, (outcome.last.regime,)))

    def _search(self, run: BatchRunner, labels: Labels, outcome: Outcome, names: Sequence[str]) -> Cause:
        """Search on the CPU where each failure costs the device, and confirm the result on the device with one run."""
        left = max(0, self.run.settings.max_restarts - self.run.starts - _RESERVE)
        if outcome.died and self.run.handshake.get("device") != "cpu" and run.images is None:
            cause = self._search_on_cpu(labels, outcome.last.regime, names)
            if cause and cause.masks and outcome.same_failure(confirmed := run(cause.minimal, (outcome.last.regime,))):
                return cause.seen_as(confirmed)
        return find_cause(run, labels, outcome, self.classes, self.spec.ignore_index, names=names, most_deaths=left)

    def _search_on_cpu(self, labels: Labels, regime: str, names: Sequence[str]) -> Cause | None:
        """The cause on the CPU; None where the batch passes there, or the loss does not run there at all."""
        with self.run.with_settings(self.run.settings.on("cpu")) as stand_in, suppress(LossNotLoadedError, RestartLimitError):
            replayed = stand_in(labels, (regime,))
            if replayed.failed:
                return find_cause(stand_in, labels, replayed, self.classes, self.spec.ignore_index, names=names)
        return None

    def _passes_in_new_process(self, run: BatchRunner, cause: Cause) -> bool:
        """Whether masks that fail now pass in a new process: then the batch has spoiled the old one."""
        if cause.outcome.died:
            return False
        self.run.close()
        return not run(cause.minimal, (cause.outcome.last.regime,)).failed

    def _refuses(self, cause: Cause) -> bool:
        """Whether the cause is an id that is not a class; of an ignored id, a single pixel has to be enough."""
        if cause.level not in ("pixel", "ids") or not cause.ids or any(map(self.spec.is_class, cause.ids)):
            return False
        return cause.level == "pixel" or not set(cause.ids) & set(self.spec.ignore_index)

    def _refuse(self, cause: Cause) -> set[int]:
        """The ids that the cause shows to be refused and, once there are several, all ids on the same side of the classes."""
        ids = set(cause.ids)
        self.refused |= ids
        for side in (lambda label: label >= self.classes, lambda label: label < 0):
            proven = [label for label in self.refused if side(label)]
            if len(proven) >= _ENOUGH_REFUSED and ids & set(proven):
                ids |= {label for label in self.masks.data.ids if side(label) and label not in self.spec.ignore_index}
        self.refused |= ids
        return ids

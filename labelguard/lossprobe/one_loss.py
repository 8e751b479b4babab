"""LossProbe: one loss, and all the batches that are put through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from labelguard.errors import IncompleteError
from labelguard.lossprobe.batch_plan import Batch, BatchKind, training_batches, worst_batches
from labelguard.lossprobe.findings.buffer_mismatch import compare_with_cpu
from labelguard.lossprobe.findings.finding_writer import FindingWriter
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.findings.silent_ids import silent_id_findings
from labelguard.lossprobe.loss_summary import LossSummary
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.search.localize import FaultLocalizer
from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.supervisor.input_format import NoInputFormatError, describe, find_input_format, trial_size
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, RANDOM, REGIMES, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import BatchRunner, LossNotLoadedError, LossRunner, RestartLimitError
from labelguard.spec.labelspec import LabelSpec

_MODEL = ("model",)
_MOST_FAULTS = 8         # after this many causes in one batch, the rest of it is given up


class LossProbe:
    """The probe of one loss: iterate over it, then take `findings` and `summary`.

    Parameters
    ----------
    run
        The loss; the caller closes it.
    masks
        The masks, read already.
    spec
        What the ids mean; with a class count.
    images
        Those of the masks, for the network.
    """

    def __init__(self, run: LossRunner, masks: MaskSource, spec: LabelSpec, images: NetworkImages | None = None) -> None:
        self.run, self.masks, self.spec, self.images, self.settings = run, masks, spec, images, run.settings
        self.classes = spec.last + 1
        self.summary = LossSummary(str(run.loss))
        self.findings: list[LossFinding] = []
        self.writer = FindingWriter(run, masks, spec, images)
        self.localizer = FaultLocalizer(run, masks, spec, self.writer, self.findings)
        self.regimes: Sequence[str] = REGIMES if run.model is None else _MODEL
        self._compared = False
        self._passed: set[int] = set()      # ids of batches that went through
        self._foreground: dict[frozenset[int], bool] = {}
        self._teaches = False               # whether anything can be learned from any batch that went through

    @cached_property
    def plan(self) -> list[Batch]:
        """The batches to be probed: those of training, then the worst ones."""
        masks = self.masks.contents
        return [*training_batches(masks, self.settings), *worst_batches(masks, self.spec, self.settings)]

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[Batch]:
        try:
            if self._begin():
                for batch in self.plan:
                    self._probe(batch)
                    yield batch
                self._check_for_any_gradient()
                self._check_for_silence()
        except RestartLimitError:
            self.summary.stopped = f"the worker died {self.settings.max_restarts} times; the batches after that were not probed"
        except LossNotLoadedError as problem:
            self.findings.append(self.writer.not_loaded(problem.what, problem.step))
            self.summary.stopped = "the worker could not be started again" if self.summary.handshake else "nothing was probed"
        finally:
            if self.run.ends_between:
                self.findings.append(self.writer.ended_between(self.run.ends_between))
            self.summary.handshake, self.summary.passes, self.summary.starts = self.run.handshake, self.run.passes, self.run.starts

    def _begin(self) -> bool:
        """Start the worker, find out how the loss wants to be called, and see whether neutral masks pass."""
        self.run.classes = self.classes
        self.run.start()
        self.summary.handshake = self.run.handshake
        if (self.settings.require_gpu or self.settings.device == "cuda") and self.run.handshake["device"] == "cpu":
            raise IncompleteError(f"A GPU is required, and {self.run.handshake['framework']} sees none: nothing was probed.")
        if not self.plan:
            raise IncompleteError(f"No batch of {self.settings.batch_size} masks of one size can be formed, and the last, partial one is "
                                  "dropped: nothing would be probed. Choose a smaller batch size.")
        first = self.plan[0]
        shape = self.masks.contents[first.members[0]].shape
        count = trial_size(self.classes)
        images = None if self.images is None else np.resize(self.images.batch(first.members[:count]), (count, *shape, 3))
        try:
            self.run.input_format = find_input_format(self.run, shape, self.classes, self.spec.ignore_index, self.settings, images)
        except NoInputFormatError as problem:
            self.findings.append(self.writer.no_input_format(problem))
            self.summary.stopped = "neutral masks fail too"
            return False
        self.summary.input_format = describe(self.run.input_format, self.run.handshake.get("names") or (), self.run.returned)
        if self.run.input_format.target_first:
            self.findings.append(self.writer.target_first())
        if self.images is None:
            self._drop_hopeless_regimes(shape)
        return True

    def _drop_hopeless_regimes(self, shape: tuple[int, int]) -> None:
        """Drop the regimes in which the loss is not finite whatever the masks hold, and say so once."""
        labels = neutral_masks(2, *shape, self.classes, without=self.spec.ignore_index)
        for regime in REGIMES[1:]:
            outcome = self.run(labels, (regime,))
            if outcome.last.status in NOT_FINITE:
                self.findings.append(self.writer.hopeless_regime(self.run.explained(labels, outcome).last, 2, shape))
                self.regimes = [kept for kept in self.regimes if kept != regime]

    # A batch

    def _probe(self, batch: Batch) -> None:
        if batch.kind == BatchKind.TRAINING:
            self.summary.batches += 1
        else:
            self.summary.worst += 1
        labels = self.localizer.without(self.localizer.refused, np.stack([self.masks.labels(member) for member in batch.members]))
        run = self._runner(batch)
        for fault in range(_MOST_FAULTS):
            outcome = run(labels, self.regimes)
            self._compare_with_cpu(batch, labels, run, outcome)
            if not outcome.failed:
                self.summary.largest = max(self.summary.largest, len(labels))
                self._passed.update(*(self.masks.contents[member].ids for member in batch.members))
                self._check_gradient(batch, labels, run, outcome)
                return
            self.summary.failed += fault == 0
            if outcome.last.status == "out-of-memory" and not self._fits_without_odd_ids(labels, run):
                self._halve(batch, labels, outcome)
                return
            ids = self.localizer.find(batch, labels, run, outcome)
            if not ids:
                return
            labels = self.localizer.without(ids, labels)

    def _compare_with_cpu(self, batch: Batch, labels: Labels, run: BatchRunner, outcome: Outcome) -> None:
        """Check once whether a training step leaves the same running statistics on the CPU, in full precision."""
        statistics = outcome.last.statistics
        on_gpu = self.run.handshake.get("device") != "cpu" and self.settings.amp == "fp32"
        if self._compared or not (on_gpu and statistics) or run.images is None:
            return
        self._compared = True
        found = compare_with_cpu(self.run, labels, run.images, statistics)
        if found:
            self.findings.append(self.writer.device_mismatch(batch, outcome.last, found))

    def _fits_without_odd_ids(self, labels: Labels, run: BatchRunner) -> bool:
        """Whether a batch fits in memory without its ids that are not a class: one-hot planes up to the largest id may not fit."""
        odd = {label for label in np.unique(labels).tolist() if not self.spec.is_class(label)}
        return bool(odd) and not run(self.localizer.without(odd, labels), self.regimes).failed

    def _runner(self, batch: Batch) -> BatchRunner:
        return BatchRunner(self.run, None if self.images is None else self.images.batch(batch.members))

    def _halve(self, batch: Batch, labels: Labels, outcome: Outcome) -> None:
        """Go on with batches of half the size until one fits; the masks are not at fault."""
        size = len(labels)
        while size > 1:
            size //= 2
            parts = [Batch(batch.members[start:start + size], batch.kind) for start in range(0, len(labels), size)]
            if not any(self._runner(part)(labels[i * size:(i + 1) * size], self.regimes).failed for i, part in enumerate(parts)):
                self.summary.largest = max(self.summary.largest, size)
                break
        else:
            size = 0
        finding = self.writer.too_large(batch, outcome.last, size)
        if not any(other.code == finding.code for other in self.findings):
            self.findings.append(finding)

    # What raises no error

    def _check_gradient(self, batch: Batch, labels: Labels, run: BatchRunner, outcome: Outcome) -> None:
        """Report a batch that nothing can be learned from."""
        step = outcome.step(RANDOM)
        if step is None or not outcome.has_zero_gradient:
            self._teaches = True
            return
        present = np.unique(labels).tolist()
        odd = [label for label in present if not self.spec.is_class(label)]
        would_teach = False
        if odd and len(odd) < len(present) and self._stand_for_foreground(frozenset(odd)):  # next to a background that the loss sees
            foreground = np.where(np.isin(labels, odd), min(1, self.classes - 1), labels)
            would_teach = bool(run(foreground, self.regimes[:1]).last.gradient)
        self.findings[:] = self.writer.zero_signal(self.findings, batch, step, odd if would_teach else [])

    def _stand_for_foreground(self, ids: frozenset[int]) -> bool:
        """Whether ids that are not a class stand mostly in masks of a single class: a void label stands beside the foreground."""
        if ids not in self._foreground:
            pixels = {True: 0, False: 0}  # alone, or beside foreground
            for record in self.masks.data.records:
                pixels[sum(map(self.spec.is_class, record.ids)) < 2] += record.pixels_of(ids)
            self._foreground[ids] = pixels[True] > pixels[False]
        return self._foreground[ids]

    def _check_for_any_gradient(self) -> None:
        """A loss from which nothing is learned on any batch may be cut off from the logits: then it is so whatever the masks hold."""
        if self._teaches or not self._passed:
            return
        outcome = self.run(neutral_masks(trial_size(self.classes), *self.masks.contents[self.plan[0].members[0]].shape, self.classes,
                                         without=self.spec.ignore_index), REGIMES[:1])
        if outcome.has_zero_gradient:
            self.findings[:] = self.writer.no_gradient(self.findings, outcome.last)

    def _check_for_silence(self) -> None:
        """Find out what the loss makes of the ids that are not a class and that it did not refuse."""
        if self.images is None:
            self.findings.extend(silent_id_findings(self.run, self.masks, self.spec, self.localizer.refused, self._passed, self.writer))

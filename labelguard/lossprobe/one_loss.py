"""LossProbe: one loss, and all the batches that it is to swallow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from labelguard.errors import IncompleteError
from labelguard.lossprobe.batch_plan import TRAINING, Batch, training_batches, worst_batches
from labelguard.lossprobe.findings.buffer_mismatch import compare_with_cpu
from labelguard.lossprobe.findings.finding_writer import FindingWriter
from labelguard.lossprobe.findings.interpretation import zero_signal
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.findings.silent_ids import silent_findings
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.search.localize import FaultLocalizer
from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.supervisor.input_format import NoInputFormatError, describe, find_input_format
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, REGIMES, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import BatchRunner, LossNotLoadedError, LossRunner, RestartLimitError
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.spec.labelspec import LabelSpec

_MODEL = ("model",)
_MOST_FAULTS = 8         # so many causes are cleared out of one batch before it is given up


@dataclass
class LossSummary:
    """What was done for one loss.

    Parameters
    ----------
    loss
        As it was asked for.
    input_format
        How it was fed, in words.
    batches, worst, failed
        Batches of training and worst batches that were run, and how many of both failed.
    passes, starts
        Passes forward and backward, and workers started.
    largest
        Masks in the largest batch that was run.
    hello
        What the worker said of itself: `framework`, `device`, `python`, ...
    stopped
        Why not everything was probed; empty where it was.
    """

    loss: str
    input_format: str = ""
    batches: int = 0
    worst: int = 0
    failed: int = 0
    passes: int = 0
    starts: int = 0
    largest: int = 0
    handshake: dict[str, object] = field(default_factory=dict)
    stopped: str = ""


class LossProbe:
    """The probe of one loss: iterate over it, then take `findings` and `tally`.

    Parameters
    ----------
    loss, model
        What to import.
    masks
        Looked at already.
    spec
        What the ids mean; with a class count.
    settings
        How training will feed the loss.
    images
        Those of the masks, for the network.
    run
        A runner that is there already, and stays; else one is made, and closed at the end.
    """

    def __init__(self, loss: ImportPath, masks: MaskSource, spec: LabelSpec, settings: Settings, model: ImportPath | None = None,
                 images: NetworkImages | None = None, run: LossRunner | None = None) -> None:
        self.masks, self.spec, self.settings, self.images = masks, spec, settings, images
        self.classes = spec.last + 1
        self.run = run or LossRunner(loss, settings, model)
        self.run.classes = self.classes
        self._lent = run is not None
        self.summary = LossSummary(str(loss))
        self.findings: list[LossFinding] = []
        self.writer = FindingWriter(self.run, masks, spec, settings, model, images)
        self.regimes: Sequence[str] = REGIMES if model is None else _MODEL
        self.model, self._compared = model, False
        self.blame = FaultLocalizer(self.run, masks, spec, settings, self.writer, self.findings)
        self.plan = [*training_batches(masks.contents, settings), *worst_batches(masks.contents, spec, settings)]

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[Batch]:
        with nullcontext() if self._lent else self.run:
            try:
                if self._begin():
                    for batch in self.plan:
                        self._probe(batch)
                        yield batch
                    self._look_for_silence()
            except RestartLimitError:
                self.summary.stopped = f"the worker died {self.settings.max_restarts} times; the batches after that were not probed"
            except LossNotLoadedError as problem:
                self.findings.append(self.writer.not_loaded(problem.what, problem.step))
                self.summary.stopped = "the worker could not be started again" if self.summary.handshake else "nothing was probed"
            finally:
                self.summary.handshake, self.summary.passes, self.summary.starts = self.run.handshake, self.run.passes, self.run.starts

    def _begin(self) -> bool:
        """Start the worker, find out how to feed it, and see whether neutral masks pass."""
        self.run.start()
        self.summary.handshake = self.run.handshake
        if (self.settings.require_gpu or self.settings.device == "cuda") and self.run.handshake["device"] == "cpu":
            raise IncompleteError(f"A GPU is required, and {self.run.handshake['framework']} sees none: nothing can be said about it.")
        if not self.plan:
            raise IncompleteError(f"No batch of {self.settings.batch_size} masks of one size can be formed, and the last, partial one is "
                                 "dropped: nothing would be probed. Choose a smaller batch size.")
        first = self.plan[0]
        shape = self.masks.contents[first.members[0]].shape
        count = 3 if self.classes == 2 else 2
        images = None if self.images is None else np.resize(self.images.batch(first.members[:count]), (count, *shape, 3))
        try:
            self.run.input_format = find_input_format(self.run, shape, self.classes, self.spec.ignore_index, self.settings, images)
        except NoInputFormatError as problem:
            self.findings.append(self.writer.nothing_goes(problem))
            self.summary.stopped = "neutral masks fail too"
            return False
        self.summary.input_format = describe(self.run.input_format)
        if self.images is None:
            self._drop_hopeless_regimes(shape)
        return True

    def _drop_hopeless_regimes(self, shape: tuple[int, int]) -> None:
        """Leave out logits on which the loss is not finite whatever the masks hold; say so once."""
        labels = neutral_masks(2, *shape, self.classes, without=self.spec.ignore_index)
        for regime in REGIMES[1:]:
            outcome = self.run(labels, (regime,))
            if outcome.last.status in NOT_FINITE:
                explained = self.run(labels, (regime,), explain=True)
                explained = explained if explained.same_failure(outcome) else outcome
                self.findings.append(self.writer.always(explained.last, 2, shape))
                self.regimes = [kept for kept in self.regimes if kept != regime]

    # A batch

    def _probe(self, batch: Batch) -> None:
        kind = "batches" if batch.kind == TRAINING else "worst"
        setattr(self.summary, kind, getattr(self.summary, kind) + 1)
        labels = self.blame.without(self.blame.refused, np.stack([self.masks.labels(member) for member in batch.members]))
        run = self._runner(batch)
        for fault in range(_MOST_FAULTS):
            outcome = run(labels, self.regimes)
            self._compare_with_cpu(batch, labels, run, outcome)
            if not outcome.failed:
                self.summary.largest = max(self.summary.largest, len(labels))
                self._look_at_signal(batch, labels, run, outcome)
                return
            self.summary.failed += fault == 0
            if outcome.last.status == "out-of-memory" and not self._made_large_by_ids(labels, run):
                self._halve(batch, labels, outcome)
                return
            ids = self.blame.find(batch, labels, run, outcome)
            if not ids:
                return
            labels = self.blame.without(ids, labels)

    def _compare_with_cpu(self, batch: Batch, labels: Labels, run: BatchRunner, outcome: Outcome) -> None:
        """See once whether a training step leaves the same running statistics on the CPU. Half precision is another matter there."""
        statistics = outcome.last.statistics
        on_gpu = self.run.handshake.get("device") != "cpu" and self.settings.amp == "fp32"
        if self._compared or not (on_gpu and statistics) or self.model is None or run.images is None:
            return
        self._compared = True
        found = compare_with_cpu(self.run.loss, self.model, self.settings, self.run, labels, run.images, statistics)
        if found:
            self.findings.append(self.writer.device_mismatch(batch, outcome.last, found))

    def _made_large_by_ids(self, labels: Labels, run: BatchRunner) -> bool:
        """Whether a batch fits in memory without the ids that are no class: one-hot planes up to the largest id may not."""
        odd = {label for label in np.unique(labels).tolist() if not self.spec.is_class(label)}
        return bool(odd) and not run(self.blame.without(odd, labels), self.regimes).failed

    def _runner(self, batch: Batch) -> BatchRunner:
        return BatchRunner(self.run, None if self.images is None else self.images.batch(batch.members))

    def _halve(self, batch: Batch, labels: Labels, outcome: Outcome) -> None:
        """Go on with batches of half the size until one fits; the masks are not to blame."""
        size = len(labels)
        while size > 1:
            size //= 2
            parts = [Batch(batch.members[start:start + size], batch.kind) for start in range(0, len(labels), size)]
            if not any(self._runner(part)(labels[i * size:(i + 1) * size], self.regimes).failed for i, part in enumerate(parts)):
                self.summary.largest = max(self.summary.largest, size)
                break
        else:
            size = 0
        if not any(finding.code == "LG510" for finding in self.findings):
            self.findings.append(self.writer.too_large(batch, outcome.last, size))

    # What is silent

    def _look_at_signal(self, batch: Batch, labels: Labels, run: BatchRunner, outcome: Outcome) -> None:
        if not zero_signal(outcome):
            return
        present = np.unique(labels).tolist()
        dark = [label for label in present if not self.spec.is_class(label)]
        with_light = False
        if dark and len(dark) < len(present):  # beside a background that is seen
            foreground = np.where(np.isin(labels, dark), min(1, self.classes - 1), labels)
            with_light = bool(run(foreground, self.regimes[:1]).last.gradient)
        self.findings[:] = self.writer.zero_signal(self.findings, batch, outcome.last, dark if with_light else [])

    def _look_for_silence(self) -> None:
        """Try ids that are no class, and were not refused: what does the loss take them for?"""
        if self.images is None:
            self.findings.extend(silent_findings(self.run, self.masks, self.spec, self.blame.refused, self.writer))



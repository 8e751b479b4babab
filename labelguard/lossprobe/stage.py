"""Probe: the target loss as a stage, for a pipeline, a pipeline file or a data loader."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.mask import Mask
from labelguard.finding import Finding
from labelguard.lossprobe.mask_source import MaskArrays, MaskFiles
from labelguard.lossprobe.one_loss import LossProbe
from labelguard.lossprobe.probing import Probing
from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import TARGETS, Activation, Device, Framework, ImportPath, Precision, Settings, Target
from labelguard.spec.argument_checks import choice
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage
from labelguard.stages.pipeline_file import PROBE, read_table
from labelguard.stages.stage import reject_errors


@dataclass(frozen=True)
class Probe(Stage):
    """Puts masks through the target loss, forward and backward, in a process that may die.

    As a stage it probes one mask at a time, in a batch with a neutral one (alone where `batch_size` is 1), and rejects it where the loss
    fails or misinterprets an id. What only shows in whole batches needs `over`, or `labelguard probe`.

    Parameters
    ----------
    loss
        ``"MODULE:NAME"`` or ``"FILE.py:NAME"``; see `labelguard.lossprobe.supervisor.settings.ImportPath`.
    spec
        What the ids mean; with a class count.
    arguments
        Keyword arguments of the loss.
    batch_size, drop_last, seed, device, require_gpu, amp, framework, activation, python, timeout
        See `labelguard.lossprobe.supervisor.settings.Settings`.
    layout
        The `target` of `labelguard.lossprobe.supervisor.settings.Settings`.

    Raises
    ------
    UsageError
        When an argument makes no sense.

    Examples
    --------
    >>> clean = Pipeline([Validate(spec), Probe("torch.nn:CrossEntropyLoss", spec)])  # doctest: +SKIP
    """

    loss: str
    spec: LabelSpec
    arguments: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 8
    drop_last: bool = False
    seed: int | None = 0
    device: Device = "auto"
    require_gpu: bool = False
    amp: Precision = "fp32"
    framework: Framework = "torch"
    layout: Target | None = None
    activation: Activation | None = None
    python: str | None = None
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not isinstance(self.spec, LabelSpec) or not self.spec.declared:
            raise UsageError(f"spec is {self.spec!r}; it must be a LabelSpec with a class count, such as LabelSpec(num_classes=12).",
                             argument="spec")
        if self.layout is not None:
            choice("layout", self.layout, TARGETS)
        self.settings()
        try:
            self.import_path()
        except UsageError as problem:
            raise UsageError(str(problem), argument="loss" if problem.argument == "path" else problem.argument) from None
        object.__setattr__(self, "arguments", dict(self.arguments))

    def __hash__(self) -> int:
        return hash(repr(self))

    def findings(self, mask: Mask) -> tuple[Finding, ...]:
        """What is found about one mask."""
        labels = [mask.labels]
        if self.batch_size > 1:
            height, width = mask.labels.shape
            labels.append(neutral_masks(1, height, width, self.spec.last + 1, without=self.spec.ignore_index)[0])
        masks = MaskArrays(labels, (mask.name or "the mask", "a neutral mask"))
        for _ in masks:
            pass
        with _lent(self) as run:
            probe = LossProbe(run, masks, self.spec)
            for _ in probe:
                pass
        if probe.summary.stopped and not probe.findings:
            raise IncompleteError(f"{mask.name or 'The mask'} could not be probed: {probe.summary.stopped}.")
        return tuple(sorted(probe.findings, key=lambda finding: -finding.severity.rank))

    def apply(self, mask: Mask) -> Mask:
        """The same mask.

        Raises
        ------
        MaskRejectedError
            When the loss fails on it, or misinterprets an id.
        """
        reject_errors(self.findings(mask), mask)
        return mask

    def over(self, *paths: str | Path, origin: str = "") -> Probing:
        """The probe of whole folders, in batches; iterate over it, then take its result.

        Parameters
        ----------
        paths
            Files and folders.
        origin
            Where the spec was declared, in words, for the report.
        """
        return Probing(MaskFiles(paths), [self.import_path()], self.spec, self.settings(), origin=origin)

    def import_path(self) -> ImportPath:
        """The loss, to be imported by the worker."""
        return ImportPath(self.loss, self.arguments)

    def settings(self) -> Settings:
        """How the loss is called."""
        return Settings(batch_size=self.batch_size, drop_last=self.drop_last, seed=self.seed, device=self.device,
                        require_gpu=self.require_gpu, amp=self.amp, framework=self.framework, target=self.layout,
                        activation=self.activation, python=self.python, timeout=self.timeout)


def read_probe(path: str | Path) -> Probe | None:
    """The [probe] table of a pipeline file; None where there is none.

    Raises
    ------
    UsageError
        When the table makes no sense; see `labelguard.stages.pipeline_file.read_pipeline`.
    """
    return read_table(path, PROBE, Probe)


_LENT: dict[tuple[int, str], tuple[Lock, LossRunner]] = {}  # by process and stage: starting a worker takes a second
_MOST_MASKS = 2  # in the batch of a stage: the mask and a neutral one


@contextmanager
def _lent(stage: Probe) -> Iterator[LossRunner]:
    """The runner of a stage in this process, for one thread at a time."""
    key = (os.getpid(), repr(stage))  # a forked process starts workers of its own
    if key not in _LENT:
        settings = replace(stage.settings(), batch_size=min(stage.batch_size, _MOST_MASKS), seed=None)
        _LENT.setdefault(key, (Lock(), LossRunner(stage.import_path(), settings)))
    lock, run = _LENT[key]
    with lock:
        run.starts = 0  # how often a worker may die is counted for each mask anew
        yield run


@atexit.register
def _close_all() -> None:
    for (process, _), (_, run) in _LENT.items():
        if process == os.getpid():
            run.close()

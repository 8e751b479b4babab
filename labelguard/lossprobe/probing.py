"""Probing: masks, and all the losses that they are to go through."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.inference import Inference, infer
from labelguard.finding import Finding, Severity
from labelguard.lossprobe.mask_source import MaskSource
from labelguard.lossprobe.network_images import NetworkImages
from labelguard.lossprobe.one_loss import LossProbe, LossSummary
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.spec.declarations import merge_specs
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count


@dataclass(frozen=True)
class ProbeReport:
    """What a probe found.

    Parameters
    ----------
    masks
        What was probed.
    spec
        What the ids mean: as declared, or as inferred.
    inference
        What was inferred where no class count was declared, else None.
    settings
        How the losses were fed.
    tallies
        What was done, for each loss.
    findings
        Worst first.
    remarks
        What was left out, and why, in sentences.
    complete
        False after an interruption, or where a loss was given up.
    """

    masks: MaskSource
    spec: LabelSpec
    inference: Inference | None
    settings: Settings
    losses: tuple[LossSummary, ...]
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()
    complete: bool = True

    @property
    def on_gpu(self) -> bool:
        """Whether anything ran on a GPU."""
        return any(summary.handshake.get("device", "cpu") != "cpu" for summary in self.losses)

    def count(self, severity: Severity) -> int:
        """How many findings have a severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def fails(self, fail_on: Severity | None = Severity.ERROR) -> bool:
        """Whether a finding is as bad as `fail_on`, or worse; never where it is None."""
        return fail_on is not None and any(finding.severity.rank >= fail_on.rank for finding in self.findings)


@dataclass
class Probing:
    """A probe under way: iterate over it, then take the `result`, at any time.

    Parameters
    ----------
    masks
        Files and folders, or what gives masks.
    losses
        What to put them through.
    spec
        What is declared about the ids; the class count is inferred where it is not.
    settings
        How training will feed the loss.
    model, images
        A network, and the folder of its images; both or none.

    Raises
    ------
    IncompleteError
        When there is no mask; while iterating, when a GPU is required and there is none.
    UsageError
        When only one of `model` and `images` is given; while iterating, when the class count is neither declared nor to be inferred.
    """

    masks: MaskSource | Sequence[str | os.PathLike[str]]
    losses: Sequence[ImportPath]
    spec: LabelSpec = field(default_factory=LabelSpec)
    settings: Settings = field(default_factory=Settings)
    model: ImportPath | None = None
    images: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if (self.model is None) != (self.images is None):
            raise UsageError("A network needs images, and images a network: give --model and --images together.")
        if self.model is not None and self.settings.framework != "torch":
            raise UsageError(f"A network can be probed with torch only, not with {self.settings.framework}.")
        if not self.losses:
            raise UsageError("There is no loss to probe; give --loss MODULE:NAME.")
        self.source = self.masks if isinstance(self.masks, MaskSource) else MaskSource(self.masks)
        self.inference: Inference | None = None
        self.remarks: list[str] = []
        self.probes: list[LossProbe] = []
        self.done = False

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        """Gives what is under way, how much of it is done, and how much there is."""
        first = LossRunner(self.losses[0], self.settings, self.model)
        with first:
            first.launch()  # it imports its framework while the masks are read
            yield from self._go(first)
        self.done = True

    def _go(self, first: LossRunner) -> Iterator[tuple[str, int, int]]:
        for number, _ in enumerate(self.source, start=1):
            yield "reading", number, len(self.source.files)
        if not self.source.contents:
            raise IncompleteError("None of the masks can be probed: no file could be read as ids. 'labelguard scan' says why.")
        spec = self._whole_spec()
        images = self._images()
        self._note_sizes()
        for loss in self.losses:
            run = None if self.probes else first
            probe = LossProbe(loss, self.source, spec, self.settings, self.model, images, run)
            self.probes.append(probe)
            for number, _ in enumerate(probe, start=1):
                yield f"probing {loss.path}", number, len(probe)
            first.close()

    def _whole_spec(self) -> LabelSpec:
        if self.spec.declared:
            return self.spec
        self.inference = infer(self.source.data)
        if not self.inference.spec.declared:
            raise UsageError(f"How many classes are there? {' '.join(self.inference.lines)} Declare it: --num-classes N, or in "
                             "labelguard.toml.")
        self.spec = merge_specs(self.spec, num_classes=self.inference.spec.num_classes,
                                ignore_index=self.spec.ignore_index or self.inference.spec.ignore_index)
        return self.spec

    def _images(self) -> NetworkImages | None:
        if self.images is None:
            return None
        images = NetworkImages(self.images, self.source.contents)
        self.remarks.append(images.rule)
        self.remarks += [f"left out: {name}: {why}" for name, why in images.left_out]
        self.source.keep({mask.name for mask in images.masks})
        return images

    def _note_sizes(self) -> None:
        shapes = {mask.shape for mask in self.source.contents}
        if len(shapes) > 1 and self.settings.batch_size > 1:
            self.remarks.append(f"The masks have {count(len(shapes), 'size')}, and a batch holds masks of one size: what your loader crops "
                                "or resizes is not probed. To probe what comes out of it, put the resize into a pipeline file with a "
                                "[probe] table.")

    def result(self) -> ProbeReport:
        """Everything found up to now."""
        found: list[Finding] = [*self.source.findings, *(finding for probe in self.probes for finding in probe.findings)]
        found.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids))
        complete = self.done and not any(probe.summary.stopped for probe in self.probes)
        return ProbeReport(self.source, self.spec, self.inference, self.settings, tuple(probe.summary for probe in self.probes),
                           tuple(found), tuple(self.remarks), complete)


def probe(*paths: str | os.PathLike[str], loss: str | ImportPath | Sequence[str | ImportPath], spec: LabelSpec | None = None,
          model: str | ImportPath | None = None, images: str | os.PathLike[str] | None = None, **settings: Any) -> ProbeReport:
    """Put masks through a loss, in a process that may die.

    Parameters
    ----------
    paths
        Files and folders of masks.
    loss, model
        ``"MODULE:NAME"``, or a `ImportPath` with arguments; several losses in a list.
    spec
        What the ids mean.
    images
        Folder of the images, for the network.
    settings
        Arguments of `Settings`, such as `batch_size`.

    Examples
    --------
    >>> report = labelguard.lossprobe.probe("masks", loss="torch.nn:CrossEntropyLoss", spec=labelguard.LabelSpec(12))  # doctest: +SKIP
    """
    losses = [loss] if isinstance(loss, (str, ImportPath)) else loss
    probing = Probing(paths, [_import_path(one) for one in losses], spec or LabelSpec(), Settings(**settings),
                      None if model is None else _import_path(model), images)
    for _ in probing:
        pass
    return probing.result()


def _import_path(wanted: str | ImportPath) -> ImportPath:
    return wanted if isinstance(wanted, ImportPath) else ImportPath(wanted)

"""Probing: masks, and all the losses that they are put through."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.inference import Inference, infer
from labelguard.files.image_folder import ImageFolder
from labelguard.finding import Finding
from labelguard.lossprobe.mask_source import MaskFiles, MaskSource
from labelguard.lossprobe.network_images import NetworkImages, network_images
from labelguard.lossprobe.one_loss import LossProbe
from labelguard.lossprobe.report import ProbeReport
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import Activation, Device, Framework, ImportPath, Precision, Settings, Target
from labelguard.report.progress import Progress
from labelguard.spec.argument_checks import StrPath, checked_path, keyword_arguments
from labelguard.spec.declarations import checked_spec, merge_specs
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count


@dataclass(eq=False)
class Probing:
    """A probe: iterate over it, then take the `result`, at any time. Nothing is read before.

    Parameters
    ----------
    masks
        Files and folders, or a source of masks.
    losses
        The losses to put them through.
    spec
        What is declared about the ids; the class count is inferred where it is not declared.
    settings
        How training will call the loss.
    model, images
        A network and the folder of its images; both or neither.
    origin
        Where the spec was declared, in words, for the report.
    launcher
        Starts the worker processes.

    Attributes
    ----------
    source : MaskSource
        The masks.
    inference : Inference or None
        What was inferred about the ids, where no class count was declared.
    remarks : list of str
        What was left out and why, in sentences.
    left_out : int
        How many masks were left out.
    probes : list of LossProbe
        Those of the losses that were begun.
    done : bool
        Whether everything was probed, without an interruption.

    Raises
    ------
    UsageError
        When only one of `model` and `images` is given, a framework other than torch is to run a network, or there is no loss. While
        iterating: when the class count is neither declared nor can be inferred.
    IncompleteError
        While iterating: when there is no mask, no image for any mask, or no GPU where one is required.
    """

    masks: MaskSource | Sequence[str | os.PathLike[str]]
    losses: Sequence[ImportPath]
    spec: LabelSpec = field(default_factory=LabelSpec)
    settings: Settings = field(default_factory=Settings)
    model: ImportPath | None = None
    images: str | os.PathLike[str] | None = None
    origin: str = ""
    launcher: Launcher = field(default_factory=Launcher)
    source: MaskSource = field(init=False, repr=False)
    inference: Inference | None = field(default=None, init=False, repr=False)
    remarks: list[str] = field(default_factory=list, init=False, repr=False)
    left_out: int = field(default=0, init=False, repr=False)
    probes: list[LossProbe] = field(default_factory=list, init=False, repr=False)
    done: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if (self.model is None) != (self.images is None):
            raise UsageError("A network needs images, and images need a network: give --model and --images together.")
        if self.model is not None and self.settings.framework != "torch":
            raise UsageError(f"A network can be probed with torch only, not with {self.settings.framework}.")
        if not self.losses:
            raise UsageError("There is no loss to probe; give --loss MODULE:NAME.")
        self.source = self.masks if isinstance(self.masks, MaskSource) else MaskFiles(self.masks)

    def __iter__(self) -> Iterator[Progress]:
        self.source.listing  # noqa: B018  # there is nothing to start a worker for where there are no masks
        first = LossRunner(self.losses[0], self.settings, self.model, self.launcher)
        with first:
            first.launch()  # it imports its framework while the masks are read
            yield from self._steps(first)
        self.done = True

    def _steps(self, first: LossRunner) -> Iterator[Progress]:
        folder = None if self.images is None else self.source.pair(self.images)
        for number, _ in enumerate(self.source, start=1):
            yield Progress("reading", number, len(self.source.files))
        if not self.source.contents:
            raise IncompleteError("None of the masks can be probed: no file could be read as ids. 'labelguard scan' says why.")
        self._require_classes()
        spec = self.complete_spec
        images = None if folder is None else self._images(folder)
        self._remark_on_sizes()
        for loss in self.losses:
            run = LossRunner(loss, self.settings, self.model, self.launcher) if self.probes else first
            probe = LossProbe(run, self.source, spec, images)
            self.probes.append(probe)
            with run:
                for number, _ in enumerate(probe, start=1):
                    yield Progress(f"probing {loss.path}", number, len(probe))

    @property
    def complete_spec(self) -> LabelSpec:
        """The spec, with what was inferred so far where no class count was declared."""
        if self.inference is None or not self.inference.spec.declared:
            return self.spec
        return merge_specs(self.spec, num_classes=self.inference.spec.num_classes,
                           ignore_index=self.spec.ignore_index or self.inference.spec.ignore_index)

    def _require_classes(self) -> None:
        """Infer the class count where it was not declared."""
        if self.spec.declared:
            return
        self.inference = infer(self.source.data)
        if not self.inference.spec.declared:
            raise UsageError(f"How many classes are there? {' '.join(self.inference.lines)} Declare it: --num-classes N, or in "
                             "labelguard.toml.")

    def _images(self, folder: ImageFolder) -> NetworkImages:
        images = network_images(folder, self.source.contents)
        self.remarks.append(folder.pairing.rule)
        self.remarks += [f"left out: {name}: {why}" for name, why in images.left_out]
        self.left_out = len(images.left_out)
        self.source.keep({mask.name for mask in images.masks})
        return images

    def _remark_on_sizes(self) -> None:
        shapes = {mask.shape for mask in self.source.contents}
        if len(shapes) > 1 and self.settings.batch_size > 1:
            self.remarks.append(f"The masks have {count(len(shapes), 'size')}, and a batch holds masks of one size. If your loader crops "
                                "or resizes, its batches were not probed. To probe them, put the resize into a pipeline file with a "
                                "[probe] table.")

    def result(self) -> ProbeReport:
        """Everything found so far."""
        found: list[Finding] = [*self.source.findings, *(finding for probe in self.probes for finding in probe.findings)]
        found.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.ids))
        complete = self.done and not any(probe.summary.stopped for probe in self.probes)
        return ProbeReport(listing=self.source.listing, data=self.source.data, spec=self.complete_spec, inference=self.inference,
                           settings=self.settings, losses=tuple(probe.summary for probe in self.probes), findings=tuple(found),
                           remarks=tuple(self.remarks), left_out=self.left_out, complete=complete, interrupted=not self.done,
                           origin=self.origin)


def probe(*paths: StrPath, loss: str | ImportPath | Sequence[str | ImportPath], loss_args: Mapping[str, Any] | None = None,
          spec: LabelSpec | None = None, num_classes: int | None = None, ignore_index: int | Iterable[int] = (),
          model: str | ImportPath | None = None, model_args: Mapping[str, Any] | None = None, images: StrPath | None = None,
          batch_size: int = 8, drop_last: bool = False, seed: int | None = 0,
          device: Device = "auto", require_gpu: bool = False, amp: Precision = "fp32", framework: Framework = "torch",
          target: Target | None = None, activation: Activation | None = None, python: str | None = None, timeout: float = 10.0,
          start_timeout: float = 120.0, max_restarts: int = 12, max_memory: float | None = None, origin: str = "",
          launcher: Launcher | None = None) -> ProbeReport:
    """Put masks through a loss, forward and backward, in a process that may die.

    Parameters
    ----------
    paths
        Files and folders of masks.
    loss
        ``"MODULE:NAME"`` or ``"FILE.py:NAME"``: a class, a function, or a function without arguments that returns the loss. Several
        losses in a list; where each takes other arguments, as `labelguard.ImportPath`.
    loss_args
        Keyword arguments of the loss, such as ``{"ignore_index": 255}``; of every loss that is given as a text.
    spec
        What the ids mean. Where it has no class count, that is inferred.
    num_classes, ignore_index
        The same, in short; they win over `spec`.
    model, model_args, images
        A network and its arguments, named as a loss is, and the folder of its images: each batch then goes through a training step of
        the network.
    batch_size, drop_last, seed
        How training forms its batches; a `seed` of None means that it does not shuffle.
    device
        ``"cpu"``, ``"cuda"``, or ``"auto"``: a GPU where there is one.
    require_gpu
        Whether to stop where there is no GPU.
    amp
        ``"fp32"``, or the half precision of automatic mixed precision: ``"fp16"`` or ``"bf16"``.
    framework
        The one that the loss is written in: ``"torch"``, ``"jax"``, ``"tensorflow"``, ``"paddle"``, ``"mindspore"`` or ``"mxnet"``.
    target
        The form in which masks reach the loss: ``"index"`` for ids (N, H, W), ``"index1"`` for ids (N, 1, H, W), ``"binary"`` for floats
        (N, 1, H, W), ``"onehot"`` for floats (N, C, H, W), ``"foreground"`` for the same without class 0. None: found by trying.
    activation
        What is applied to the logits before the loss: ``"none"``, ``"sigmoid"`` or ``"softmax"``. None: found by trying.
    python
        The interpreter that has the framework; None: the running one.
    timeout, start_timeout
        Time limits in seconds: of one pass, and of importing the framework and the loss.
    max_restarts
        How often a worker that died is replaced.
    max_memory
        Memory in bytes that the worker may use, such as ``8e9`` (the command takes gigabytes); None: 85 % of what is available.
    origin
        Where the spec was declared, in words, for the report.
    launcher
        Starts the worker processes; only needed for adapters of your own.

    Returns
    -------
    ProbeReport
        What was found.

    Raises
    ------
    UsageError
        When an argument makes no sense, or the class count is neither declared nor can be inferred.
    IncompleteError
        When there is no mask, no image for any mask, or no GPU where one is required.

    Examples
    --------
    >>> report = labelguard.probe("masks", loss="torch.nn:CrossEntropyLoss", loss_args={"ignore_index": 255},
    ...                           num_classes=12)  # doctest: +SKIP
    """
    for given in paths:
        checked_path("paths", given, "Give several paths one by one: probe('a', 'b', loss=...).")
    if images is not None:
        checked_path("images", images)
    losses = [loss] if isinstance(loss, (str, ImportPath)) or not isinstance(loss, Iterable) else list(loss)
    settings = Settings(batch_size=batch_size, drop_last=drop_last, seed=seed, device=device, require_gpu=require_gpu, amp=amp,
                        framework=framework, target=target, activation=activation, python=python, timeout=timeout,
                        start_timeout=start_timeout, max_restarts=max_restarts, max_memory=max_memory)
    declared = merge_specs(LabelSpec() if spec is None else checked_spec(spec), num_classes=num_classes, ignore_index=ignore_index)
    probing = Probing(paths, [_import_path("loss", one, loss_args) for one in losses], declared, settings,
                      None if model is None else _import_path("model", model, model_args), images, origin, launcher or Launcher())
    for _ in probing:
        pass
    return probing.result()


def _import_path(argument: str, wanted: str | ImportPath, arguments: Mapping[str, Any] | None) -> ImportPath:
    if isinstance(wanted, ImportPath):
        return wanted
    given = {} if arguments is None else keyword_arguments(f"{argument}_args", arguments)
    try:
        return ImportPath(wanted, given)
    except UsageError as problem:
        raise UsageError(f"{argument}: {problem}", argument=argument) from None

"""LossRunner: puts batches through one loss on one device, in a worker that is replaced when it dies."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import IncompleteError
from labelguard.lossprobe.supervisor.answers import step_of, with_last_words
from labelguard.lossprobe.supervisor.interpreter import no_interpreter
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.outcome import DEADLY, RAISED, REGIMES, Labels, Outcome, Step
from labelguard.lossprobe.supervisor.patience import Patience
from labelguard.lossprobe.supervisor.process import (
    WorkerEndedError,
    WorkerGarbledError,
    WorkerHungError,
    WorkerMemoryError,
    WorkerProcess,
)
from labelguard.lossprobe.supervisor.settings import Activation, ImportPath, Outputs, Settings, Target

_FOR_ITS_PLACE = 2.0   # seconds in which a worker that hangs may say where
_ENDS = (WorkerHungError, WorkerEndedError, WorkerMemoryError, WorkerGarbledError)


class LossNotLoadedError(Exception):
    """Framework, loss or network cannot be imported or built; `what` names which, and `step` says why."""

    def __init__(self, what: str, step: Step) -> None:
        self.what, self.step = what, step
        super().__init__(f"{what}: {step.error or step.native or step.status}")


class RestartLimitError(Exception):
    """The worker died more often than it may be replaced."""


@dataclass(frozen=True)
class InputFormat:
    """How a loss is called.

    Parameters
    ----------
    target, activation
        See `Settings`.
    outputs
        What it gets as the output of a network. ``"tensor"``: logits (N, C, H, W), or of a network the logits in what it returns.
        ``"list"``: two such tensors. ``"dict"``: two, as ``"out"`` and ``"aux"``. ``"pixels"``: logits (N * H * W, C) and a target to
        match, with one channel (N, H * W). ``"quarter"``: logits of a quarter of the height and width. ``"whole"``: all that the network
        returns.
    target_first
        Whether it takes the target first, as losses of Keras do.
    """

    target: Target
    activation: Activation
    outputs: Outputs = "tensor"
    target_first: bool = False


class LossRunner:
    """Runs batches; a `Runner`.

    Parameters
    ----------
    loss, model
        What the worker imports.
    settings
        Device, precision, interpreter, limits.
    launcher
        Starts the worker.

    Attributes
    ----------
    classes : int
        Number of classes; to be set before the first batch.
    input_format : InputFormat
        How the loss is called.
    handshake : dict
        What the worker said about itself: `framework`, `device`, `python`, ...
    returned : str
        The part of what the loss returns that is taken as the loss, in words; see `Step.returned`.
    ends_between : list of Step
        How workers ended between two passes, for which no mask of the next one can be blamed.
    starts, passes : int
        Workers started and passes requested so far.
    """

    def __init__(self, loss: ImportPath, settings: Settings, model: ImportPath | None = None, launcher: Launcher | None = None) -> None:
        self.loss, self.settings, self.model, self.launcher = loss, settings, model, launcher or Launcher()
        self.classes = 0
        self.input_format = InputFormat("index", "none")
        self.handshake: dict[str, Any] = {}
        self.returned = ""
        self.ends_between: list[Step] = []
        self.starts = self.passes = 0
        self._patience = Patience(settings.timeout)
        self._worker: WorkerProcess | None = None
        self._ready = False

    def __enter__(self) -> LossRunner:
        return self

    def __exit__(self, kind: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None) -> None:
        if kind is not None and self._worker is not None:
            self._worker.kill()  # interrupted, most likely in the middle of a pass
        self.close()

    def with_settings(self, settings: Settings) -> LossRunner:
        """A runner of the same loss and network, called in the same way, with other settings and a worker of its own."""
        other = LossRunner(self.loss, settings, self.model, self.launcher)
        other.classes, other.input_format = self.classes, self.input_format
        return other

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def launch(self) -> None:
        """Start a worker where there is none, without waiting for its imports.

        Raises
        ------
        RestartLimitError
            When it has been replaced too often.
        IncompleteError
            When the interpreter cannot be started.
        """
        if self._worker is not None:
            return
        if self.starts > self.settings.max_restarts:
            raise RestartLimitError
        self.starts += 1
        self._worker = self.launcher.launch(self.loss, self.model, self.settings)
        self._ready = False
        self._patience.begin_again()

    def start(self) -> None:
        """Wait until a worker is ready; one is launched where there is none.

        Raises
        ------
        LossNotLoadedError
            When it cannot import what it should.
        IncompleteError
            When what should be the interpreter is none, or has no numpy.
        RestartLimitError, IncompleteError
            See `launch`.
        """
        self.launch()
        if self._ready:
            return
        assert self._worker is not None
        try:
            answer = self._worker.receive(self.settings.start_timeout)
            if answer["op"] == "fatal":
                what, step = str(answer.pop("what")), step_of(answer | {"regime": "", "phase": "import"})
                step = with_last_words(step, self._worker)
                self.close()
                raise LossNotLoadedError(what, step)
        except _ENDS as end:
            worker = self._worker
            step = self._after(end, Step("", "exception", "import"))
            if self.settings.python is not None and not worker.started and step.status in RAISED:
                raise IncompleteError(no_interpreter(self.settings.python, worker.words(), self.settings.framework)) from None
            raise LossNotLoadedError("import", step) from None
        self.handshake, self._ready = answer, True

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None,
                 images: NDArray[np.uint8] | None = None, explain: bool = False) -> Outcome:
        """Run a batch; see `Runner`.

        Parameters
        ----------
        labels, regimes, probe_pixel
            See `Runner`.
        images
            (N, H, W, channels); the batch then goes through the network.
        explain
            Whether to find the line that first produced a value that is not finite, which is slow.
        """
        self.start()
        assert self._worker is not None
        self.passes += 1
        kind = (labels.shape, self.input_format, explain)
        limit = self._patience.limit(kind)
        labels = np.ascontiguousarray(labels)
        header = {"op": "run", "classes": self.classes, "shape": labels.shape, "dtype": labels.dtype.str, "regimes": tuple(regimes),
                  "probe_pixel": probe_pixel, "limit": limit, "target": self.input_format.target,
                  "activation": self.input_format.activation, "outputs": self.input_format.outputs,
                  "target_first": self.input_format.target_first, "explain": explain}
        payload = labels.tobytes()
        if images is not None:
            header |= {"image_shape": images.shape, "statistics": True}
            payload += np.ascontiguousarray(images).tobytes()
        for last_try in (False, True):
            self.start()
            self._worker.send(header, payload)
            steps = self._steps(regimes, limit, kind)
            if steps[-1].phase or steps[-1].status not in DEADLY:
                return Outcome(tuple(steps))
            if not last_try:
                self.ends_between.append(steps[-1])  # it had not begun: an earlier pass is to blame, and a new worker is asked
        raise LossNotLoadedError("import", steps[-1])

    def explained(self, labels: Labels, outcome: Outcome, images: NDArray[np.uint8] | None = None) -> Outcome:
        """The failure of some labels once more, slowly, with the line; the same outcome where it does not come again."""
        again = self(labels, (outcome.last.regime,), images=images, explain=True)
        return again if again.same_failure(outcome) else outcome

    @property
    def _on_device(self) -> bool:
        """Whether there is a device that can assert."""
        return bool(self.handshake.get("device", "cpu") != "cpu")

    def _steps(self, regimes: Sequence[str], limit: float, kind: Hashable) -> list[Step]:
        """The steps up to the first that failed; afterwards there is no worker if that one cost it."""
        worker, steps, under_way = self._worker, list[Step](), Step(regimes[0], "exception")
        assert worker is not None
        try:
            while (answer := worker.receive(limit))["op"] != "done":
                if answer["op"] == "phase":
                    under_way = Step(answer["regime"], "exception", answer["phase"])
                    continue
                step = with_last_words(step_of(answer), worker)
                self.returned = step.returned or self.returned
                self._patience.took(kind, float(answer.get("seconds") or 0.0))
                assertion = ""
                if step.status == "assert":
                    self.close()
                    assertion = worker.assertion()  # now that nothing more can come
                elif self._on_device:  # some builds report an assertion and go on
                    assertion = worker.assertion(by_kernel=True)
                if assertion:
                    step = replace(step, status="assert", native=f"device-side assertion `{assertion}`")
                steps.append(step)
                if step.status == "assert":
                    self.close()
                    return steps
        except _ENDS as end:
            steps.append(self._after(end, under_way))
        return steps

    def _after(self, end: Exception, under_way: Step) -> Step:
        """The step that the worker did not survive; closes the worker."""
        worker, self._worker = self._worker, None
        assert worker is not None
        if isinstance(end, WorkerHungError):
            place = worker.place(_FOR_ITS_PLACE)
            worker.kill()  # it would not leave by itself
            worker.close()
            return replace(under_way, status="timeout", source=place)
        if isinstance(end, WorkerGarbledError):
            worker.kill()
            worker.close()
            return replace(under_way, status="garbled", native="bytes that no worker sends")
        if isinstance(end, WorkerMemoryError):
            worker.close()
            return replace(under_way, status="out-of-memory", native="ended before it used up all memory")
        status, how = worker.ending()
        place = worker.place()
        assertion = worker.assertion()
        worker.close()
        if assertion and self._on_device:
            return replace(under_way, status="assert", native=f"device-side assertion `{assertion}`", source=place)
        how += f": assertion `{assertion}` failed" * (status == "death" and bool(assertion))
        return replace(under_way, status=status, native=how, source=place)


@dataclass(frozen=True)
class BatchRunner:
    """A `Runner` for one batch, which passes on the images of its masks where there are any."""

    run: LossRunner
    images: NDArray[np.uint8] | None = None

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None) -> Outcome:
        """Run the batch, or labels in its place; see `Runner`."""
        return self.run(labels, regimes, probe_pixel, self.images)

    def explained(self, labels: Labels, outcome: Outcome) -> Outcome:
        """A failure with the line that first produced a value that is not finite; see `LossRunner.explained`."""
        return self.run.explained(labels, outcome, self.images)

    def twice(self, labels: Labels, regime: str) -> Outcome:
        """Run the labels twice over, as a batch of twice the size."""
        images = None if self.images is None else np.concatenate([self.images, self.images])
        return self.run(np.concatenate([labels, labels]), (regime,), images=images)

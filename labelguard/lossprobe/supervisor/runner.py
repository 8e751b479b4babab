"""LossRunner: puts batches through one loss on one device, in a worker that is replaced when it dies."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import IncompleteError
from labelguard.lossprobe.supervisor.outcome import REGIMES, Labels, Outcome, PixelGradient, Step
from labelguard.lossprobe.supervisor.process import WorkerEndedError, WorkerHungError, WorkerMemoryError, WorkerProcess
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings

_ADAPTERS = Path(__file__).parent.parent / "worker" / "adapters"
_PATIENCE = 20       # a pass may take so many times the median of those before it
_FIRST_TAKE = 6      # times longer: the first passes make contexts, choose kernels and, in most frameworks, compile


class LossNotLoadedError(Exception):
    """Framework, loss or network cannot be imported or made; `step` says why."""

    def __init__(self, what: str, step: Step) -> None:
        self.what, self.step = what, step
        super().__init__(f"{what}: {step.error}")


class RestartLimitError(Exception):
    """The worker died more often than it may be replaced."""


@dataclass(frozen=True)
class InputFormat:
    """How a loss is fed: see `Settings.target` and `Settings.activation`."""

    target: str
    activation: str


class LossRunner:
    """Runs batches; a `Runner`.

    Parameters
    ----------
    loss, model
        What to import in the worker.
    settings
        Device, precision, interpreter, limits.

    Attributes
    ----------
    classes : int
        Number of classes; to be set before the first batch.
    hello : dict
        What the worker said of itself: `framework`, `device`, `python`, ...
    starts, passes : int
        Workers started, passes asked for.
    """

    def __init__(self, loss: ImportPath, settings: Settings, model: ImportPath | None = None) -> None:
        self.settings, self.loss = settings, loss
        self.classes = 0
        self.input_format = InputFormat("index", "none")
        self.handshake: dict[str, Any] = {}
        self.starts = self.passes = 0
        self._seconds: list[float] = []
        self._worker: WorkerProcess | None = None
        self._ready = False
        self._init = {"op": "init", "adapter": str(_ADAPTERS / f"{settings.framework}.py"), "device": settings.device,
                      "amp": settings.amp, "sys_path": [os.getcwd()], "loss": _imported(loss), "model": _imported(model),
                      "limit": settings.start_timeout}

    def __enter__(self) -> LossRunner:
        return self

    def __exit__(self, kind: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None) -> None:
        if kind is not None and self._worker is not None:
            self._worker.kill()  # interrupted, most likely while the loss is under way
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def launch(self) -> None:
        """Start a worker, if none is there, without waiting for its imports.

        Raises
        ------
        RestartsSpent
            When it has been replaced too often.
        IncompleteError
            When the interpreter cannot be started.
        """
        if self._worker is not None:
            return
        if self.starts > self.settings.max_restarts:
            raise RestartLimitError
        self.starts += 1
        try:
            self._worker = WorkerProcess(self.settings.python or sys.executable, self._init, self.settings.max_memory)
        except OSError as problem:
            raise IncompleteError(f"'{self.settings.python}' cannot be started: {problem.strerror}. Give --python the path of an "
                                 "interpreter that has the framework.") from None
        self._ready = False

    def start(self) -> None:
        """Have a worker that is ready.

        Raises
        ------
        NotLoaded
            When it cannot import what it should.
        RestartsSpent, IncompleteError
            See `launch`.
        """
        self.launch()
        if self._ready:
            return
        assert self._worker is not None
        try:
            answer = self._worker.receive(self.settings.start_timeout)
        except (WorkerHungError, WorkerEndedError, WorkerMemoryError) as end:
            raise LossNotLoadedError("import", self._after(end, Step("", "exception", "import"))) from None
        if answer["op"] == "fatal":
            self.close()
            raise LossNotLoadedError(answer.pop("what"), _step(answer | {"regime": "", "phase": "import"}))
        self.handshake, self._ready = answer, True

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None,
                 images: NDArray[np.uint8] | None = None, explain: bool = False) -> Outcome:
        """Run a batch; see `Runner`. With `images` (N, H, W, channels) it goes through the network; `explain` asks for the line that
        first made a NaN."""
        self.start()
        assert self._worker is not None
        self.passes += 1
        limit = max(self.settings.timeout, _PATIENCE * statistics.median(self._seconds)) if self._seconds else self.settings.timeout
        if len(self._seconds) < len(REGIMES) and (self.handshake.get("device") != "cpu" or self.settings.framework != "torch"):
            limit *= _FIRST_TAKE
        labels = np.ascontiguousarray(labels)
        header = {"op": "run", "classes": self.classes, "shape": labels.shape, "dtype": labels.dtype.str, "regimes": tuple(regimes),
                  "probe_pixel": probe_pixel, "limit": limit, "target": self.input_format.target,
                  "activation": self.input_format.activation, "explain": explain}
        payload = labels.tobytes()
        if images is not None:
            header |= {"image_shape": images.shape, "statistics": True}
            payload += np.ascontiguousarray(images).tobytes()
        self._worker.send(header, payload)
        return Outcome(tuple(self._steps(regimes, limit)))

    def _steps(self, regimes: Sequence[str], limit: float) -> list[Step]:
        """The steps up to the first that failed; afterwards a worker that is lost is none."""
        worker, steps, under_way = self._worker, list[Step](), Step(regimes[0], "exception")
        assert worker is not None
        try:
            while (answer := worker.receive(limit))["op"] != "done":
                if answer["op"] == "phase":
                    under_way = Step(answer["regime"], "exception", answer["phase"])
                    continue
                step = _step(answer)
                self._seconds = [*self._seconds[-30:], answer["seconds"]]
                assertion = worker.assertion()
                if step.status == "assert":
                    self.close()
                    assertion = assertion or worker.assertion()  # now that nothing more can come
                if assertion:  # some builds report an assertion, and go on
                    step = replace(step, status="assert", native=f"device-side assertion `{assertion}`")
                steps.append(step)
                if step.status == "assert":
                    self.close()
                    return steps
        except (WorkerHungError, WorkerEndedError, WorkerMemoryError) as end:
            steps.append(self._after(end, under_way))
        return steps

    def _after(self, end: Exception, under_way: Step) -> Step:
        """The step that a worker did not survive; closes it."""
        worker, self._worker = self._worker, None
        assert worker is not None
        if isinstance(end, WorkerHungError):
            place = worker.place()
            worker.kill()  # it would not leave by itself
            worker.close()
            return replace(under_way, status="timeout", source=place)
        if isinstance(end, WorkerMemoryError):
            worker.close()
            return replace(under_way, status="out-of-memory", native="ended before it took all memory")
        status, how = worker.ending()
        place = worker.place()
        assertion = worker.assertion()
        worker.close()
        if assertion:
            return replace(under_way, status="assert", native=f"device-side assertion `{assertion}`", source=place)
        return replace(under_way, status=status, native=how, source=place)


@dataclass(frozen=True)
class BatchRunner:
    """A `Runner` for one batch: the images that belong to its masks go along, where there are any."""

    run: LossRunner
    images: NDArray[np.uint8] | None = None

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None) -> Outcome:
        """Run the batch, or labels in its place; see `Runner`."""
        return self.run(labels, regimes, probe_pixel, self.images)

    def explain(self, labels: Labels, regime: str) -> Outcome:
        """Run slowly, for the line that first was not finite."""
        return self.run(labels, (regime,), images=self.images, explain=True)

    def twice(self, labels: Labels, regime: str) -> Outcome:
        """Run the labels twice over, as a batch of twice the size."""
        images = None if self.images is None else np.concatenate([self.images, self.images])
        return self.run(np.concatenate([labels, labels]), (regime,), images=images)


def _imported(import_path: ImportPath | None) -> dict[str, Any] | None:
    return None if import_path is None else {"path": import_path.path, "arguments": import_path.arguments}


def _step(answer: dict[str, Any]) -> Step:
    names = ("regime", "status", "phase", "loss", "gradient", "bad_pixels", "error_type", "error", "source", "operation", "statistics")
    fields = {name: answer[name] for name in names if name in answer}
    for name in ("loss_shape", "bad", "buffers"):
        if name in answer:
            fields[name] = tuple(answer[name])
    pixel = PixelGradient(**answer["pixel"]) if answer.get("pixel") else None
    return Step(**fields, pixel=pixel)

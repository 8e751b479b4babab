"""The torch adapter within this process: for what the loss does, where no process is at stake."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelguard.lossprobe.mask_source import MaskArrays
from labelguard.lossprobe.one_loss import LossProbe
from labelguard.lossprobe.supervisor.answers import step_of
from labelguard.lossprobe.supervisor.outcome import REGIMES, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import InputFormat, LossRunner
from labelguard.lossprobe.supervisor.settings import ImportPath, Settings
from labelguard.lossprobe.worker.failures import failure
from labelguard.lossprobe.worker.job import Job
from labelguard.spec.labelspec import LabelSpec
from tests.lossprobe import siblings  # noqa: F401


class RunsInside(LossRunner):
    """A loss of torch that a probe puts through this process; `loss` is the loss itself."""

    def __init__(self, loss: Any, settings: Settings) -> None:
        super().__init__(ImportPath(f"inside.py:{getattr(loss, '__name__', type(loss).__name__)}"), settings)
        self.inside = Inside(loss, 0)

    def start(self) -> None:
        self.handshake, self.starts = {"device": "cpu", "framework": "torch", "python": "3"}, 1

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None,
                 images: Any = None, explain: bool = False) -> Outcome:
        self.passes += 1
        self.inside.classes, self.inside.input_format = self.classes, self.input_format
        return self.inside(labels, regimes, probe_pixel, images, explain)


def probed(loss: Any, masks: Mapping[str, Labels], spec: LabelSpec, **settings: Any) -> LossProbe:
    """A loss of torch, and the masks that were put through it."""
    source = MaskArrays(list(masks.values()), list(masks))
    list(source)
    probe = LossProbe(RunsInside(loss, Settings(**settings)), source, spec)
    list(probe)
    return probe


class Inside:
    """Runs batches through a loss of torch; a `Runner`, and a `LossRunner` as far as feeding goes."""

    def __init__(self, loss: Any, classes: int, model: Any = None, amp: str = "fp32", input_format: InputFormat | None = None) -> None:
        from labelguard.lossprobe.worker.adapters.torch import Adapter
        self.adapter = Adapter({"device": "cpu", "amp": amp})
        self.adapter.use(loss, model)
        self.returned = ""
        self.classes, self.input_format = classes, input_format or InputFormat("index", "none")

    def __call__(self, labels: Labels, regimes: Sequence[str] = REGIMES, probe_pixel: tuple[int, int, int] | None = None,
                 images: Any = None, explain: bool = False) -> Outcome:
        header = {"classes": self.classes, "shape": labels.shape, "dtype": labels.dtype.str, "target": self.input_format.target,
                  "activation": self.input_format.activation, "outputs": self.input_format.outputs,
                  "target_first": self.input_format.target_first, "probe_pixel": probe_pixel}
        payload = np.ascontiguousarray(labels).tobytes()
        if images is not None:
            header |= {"image_shape": images.shape, "statistics": True}
            payload += images.tobytes()
        job, steps = Job(header, payload), []
        for job.regime in regimes:
            under_way = [""]
            try:
                result = (self.adapter.explain if explain else self.adapter.step)(job, lambda name, at=under_way: at.__setitem__(0, name))
            except BaseException as error:
                result = failure(error)
            steps.append(step_of(json.loads(json.dumps({"regime": job.regime, "phase": under_way[0], **result}))))
            self.returned = steps[-1].returned or self.returned
            if steps[-1].status != "ok":
                break
        return Outcome(tuple(steps))

    def explained(self, labels: Labels, outcome: Outcome, images: Any = None) -> Outcome:
        return self(labels, (outcome.last.regime,), images=images, explain=True)

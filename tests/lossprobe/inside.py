"""The torch adapter within this process: for what the loss does, where no process is at stake."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelguard.lossprobe.supervisor.launcher import ADAPTERS
from labelguard.lossprobe.supervisor.outcome import REGIMES, Labels, Outcome
from labelguard.lossprobe.supervisor.runner import InputFormat, _step
from labelguard.lossprobe.worker.__main__ import Siblings
from labelguard.lossprobe.worker.failures import failure
from labelguard.lossprobe.worker.job import Job

sys.meta_path += [Siblings(str(ADAPTERS.parent)), Siblings(str(ADAPTERS))]


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
                  "activation": self.input_format.activation, "outputs": self.input_format.outputs, "probe_pixel": probe_pixel}
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
            steps.append(_step(json.loads(json.dumps({"regime": job.regime, "phase": under_way[0], **result}))))
            self.returned = steps[-1].returned or self.returned
            if steps[-1].status != "ok":
                break
        return Outcome(tuple(steps))

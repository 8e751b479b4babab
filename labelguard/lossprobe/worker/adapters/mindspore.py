"""MindSpore: a loss is called with logits (N, C, H, W) and the target, ids as int32.

MindSpore checks some indices and reads memory at others: the same mask may raise in one run and end the process in the next.
"""

import os

os.environ["GLOG_v"] = "3"  # errors only  # noqa: SIM112

import mindspore
import numpy as np
from labelguard_arrays import Arrays
from mindspore import ops

_PER_CLASS = ("weight", "pos_weight")  # arguments that are tensors, one value for each class
_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": ops.sigmoid, "softmax": lambda logits: ops.softmax(logits, axis=1),
                "log-softmax": lambda logits: ops.log_softmax(logits, axis=1)}


class Adapter(Arrays):
    """Puts jobs through a MindSpore loss, operation by operation."""

    def __init__(self, settings):
        super().__init__(settings)
        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
        self.description = {"framework": "mindspore " + mindspore.__version__, "called": "logits (N, C, H, W), target",
                            "device": self._choose(settings["device"])}

    @staticmethod
    def _choose(wanted):
        if wanted != "cpu":
            try:
                mindspore.set_context(device_target="GPU")
                return "cuda"
            except (ValueError, RuntimeError):
                if wanted == "cuda":
                    raise
        mindspore.set_context(device_target="CPU")
        return "cpu"

    def argument(self, key, value):
        """A keyword argument of the loss: numbers for each class become a tensor."""
        return mindspore.Tensor(value, mindspore.float32) if key in _PER_CLASS and isinstance(value, (list, tuple)) else value

    def loss_and_gradient(self, logits, target, activation, phase):
        """The loss, and its gradient with respect to the logits."""
        target = mindspore.Tensor(target.astype(np.int32) if target.dtype == np.int64 else target)
        logits = mindspore.Tensor(logits)

        def forward(logits):
            return self.called(mindspore.Tensor, _ACTIVATIONS[activation](logits), target)

        value = forward(logits).asnumpy()  # waits: what went wrong is raised only to who asks for the result
        phase("backward")
        return value, mindspore.grad(forward)(logits).asnumpy()

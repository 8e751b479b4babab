"""An adapter for losses in numpy: for what has to do with processes and not with frameworks, since it starts at once."""

from __future__ import annotations

import os

from labelguard_arrays import Arrays
from labelguard_calling import call, no_loss


class Adapter(Arrays):
    """Gives a loss logits and target as they are; it gives back its value and its gradient."""

    def __init__(self, settings):
        super().__init__(settings)
        device = "cuda" if settings["device"] != "cpu" and "PLAIN_GPU" in os.environ else "cpu"
        os.environ["PLAIN_DEVICE"] = device
        self.description = {"framework": "numpy", "device": device, "environment": dict(os.environ)}

    def loss_and_gradient(self, logits, target, _activation, phase):
        returned = call(self.loss, self.names, logits, target)
        if not isinstance(returned, tuple):
            raise no_loss(returned)
        value, gradient = returned
        phase("backward")
        if callable(gradient):
            gradient = gradient()
        return value, gradient

"""JAX: a loss is called with logits (N, H, W, C) and the target, as those of optax are.

Ids come as JAX takes them by default, as int32. JAX checks no index: what lies outside wraps, or makes a NaN.
"""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # three quarters of a GPU would be taken otherwise

import jax
import jax.numpy as jnp
import numpy as np
from labelguard_arrays import Arrays

_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": jax.nn.sigmoid, "softmax": jax.nn.softmax,
                "log-softmax": jax.nn.log_softmax}


class Adapter(Arrays):
    """Puts jobs through a JAX loss, operation by operation: nothing is jitted that the loss does not jit itself."""

    CHANNELS_LAST = True

    def __init__(self, settings):
        super().__init__(settings)
        if settings["device"] == "cpu":
            jax.config.update("jax_platforms", "cpu")
        self.device = jax.devices("cuda" if settings["device"] == "cuda" else None)[0]
        self.description = {"framework": "jax " + jax.__version__, "called": "logits (N, H, W, C), target",
                            "device": "cuda" if self.device.platform == "gpu" else self.device.platform}
        if self.device.platform != "cpu":
            self.description["device_name"] = self.device.device_kind

    def argument(self, _key, value):
        """A keyword argument of the loss: numbers for each class become an array."""
        return jnp.asarray(value) if isinstance(value, (list, tuple)) else value

    def loss_and_gradient(self, logits, target, activation, phase):
        """The loss, and its gradient with respect to the logits."""
        with jax.default_device(self.device):
            target = jnp.asarray(target)

            def forward(logits):
                return self.called((jax.Array, float), _ACTIVATIONS[activation](logits), target)

            loss, pull_back = jax.vjp(forward, jnp.asarray(logits))
            loss = jax.block_until_ready(jnp.asarray(loss))
            phase("backward")
            (gradient,) = pull_back(jnp.ones_like(loss))
            return np.asarray(loss), np.asarray(gradient)

"""TensorFlow and Keras: a loss is called with the target and then the logits (N, H, W, C), as Keras calls its losses.

It runs eagerly, where TensorFlow checks ids on the CPU. Compiled by XLA or on a GPU it does not; a loss that is to be probed so is
wrapped in `tf.function(jit_compile=True)` by the user.
"""

import os
import re

os.environ["KERAS_BACKEND"] = "tensorflow"

import tensorflow as tf
from labelguard_arrays import Arrays

_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": tf.sigmoid, "softmax": tf.nn.softmax,
                "log-softmax": tf.nn.log_softmax}


class Adapter(Arrays):
    """Puts jobs through a TensorFlow loss."""

    CHANNELS_LAST = TARGET_FIRST = True

    def __init__(self, settings):
        super().__init__(settings)
        gpus = tf.config.list_physical_devices("GPU")
        if settings["device"] == "cpu":
            tf.config.set_visible_devices([], "GPU")
            gpus = []
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
        self.device = "/GPU:0" if gpus else "/CPU:0"
        self.description = {"framework": "tensorflow " + tf.__version__, "called": "target, logits (N, H, W, C)",
                            "device": "cuda" if gpus else "cpu"}
        if gpus:
            self.description["device_name"] = tf.config.experimental.get_device_details(gpus[0]).get("device_name", "")

    def loss_and_gradient(self, logits, target, activation, phase):
        """The loss, and its gradient with respect to the logits."""
        with tf.device(self.device):
            logits, target = tf.constant(logits), tf.constant(target)
            with tf.GradientTape() as tape:
                tape.watch(logits)
                loss = self._forward(target, _ACTIVATIONS[activation](logits))
            value = loss.numpy()
            phase("backward")
            gradient = tape.gradient(loss, logits)
            return value, None if gradient is None else tf.convert_to_tensor(gradient).numpy()

    def _forward(self, *inputs):
        try:
            return self.called(tf.Tensor, *inputs)
        except tf.errors.OpError as error:  # begins with the name of a node that only TensorFlow knows, and ends with all labels
            said = re.sub(r"^\{\{[^}]*\}\} ?|  Label values: .*", "", error.message)
            raise type(error)(None, None, said).with_traceback(error.__traceback__) from None

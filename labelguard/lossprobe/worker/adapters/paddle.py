"""PaddlePaddle: a loss is called with logits (N, C, H, W) and the target; its own losses need `axis=1` to look for classes there."""

import paddle
from labelguard_arrays import Arrays

_PER_CLASS = ("weight", "pos_weight")  # arguments that are tensors, one value for each class
_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": paddle.nn.functional.sigmoid,
                "softmax": lambda logits: paddle.nn.functional.softmax(logits, axis=1),
                "log-softmax": lambda logits: paddle.nn.functional.log_softmax(logits, axis=1)}


class Adapter(Arrays):
    """Puts jobs through a PaddlePaddle loss."""

    def __init__(self, settings):
        super().__init__(settings)
        gpus = paddle.device.cuda.device_count() if paddle.is_compiled_with_cuda() else 0
        on_gpu = settings["device"] != "cpu" and gpus > 0
        paddle.set_device("gpu" if on_gpu else "cpu")
        self.description = {"framework": "paddle " + paddle.__version__, "called": "logits (N, C, H, W), target",
                            "device": "cuda" if on_gpu else "cpu"}
        if on_gpu:
            self.description["device_name"] = paddle.device.cuda.get_device_name()

    def argument(self, key, value):
        """A keyword argument of the loss: numbers for each class become a tensor."""
        return paddle.to_tensor(value, dtype="float32") if key in _PER_CLASS and isinstance(value, (list, tuple)) else value

    def loss_and_gradient(self, logits, target, activation, phase):
        """The loss, and its gradient with respect to the logits."""
        logits = paddle.to_tensor(logits, stop_gradient=False)
        loss = self.called(paddle.Tensor, _ACTIVATIONS[activation](logits), paddle.to_tensor(target))
        value = loss.numpy()
        phase("backward")
        loss.sum().backward()
        return value, None if logits.grad is None else logits.grad.numpy()

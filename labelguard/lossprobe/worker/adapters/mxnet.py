"""MXNet: a loss is called with logits (N, C, H, W) and the target, as Gluon's are, which need `axis=1` to look for classes there.

Ids come as MXNet makes arrays by default, as float32. MXNet checks no index: what lies outside is moved to the nearest class.
"""

import mxnet as mx
from labelguard_arrays import Arrays

_ACTIVATIONS = {"none": lambda logits: logits, "sigmoid": mx.nd.sigmoid, "softmax": lambda logits: mx.nd.softmax(logits, axis=1),
                "log-softmax": lambda logits: mx.nd.log_softmax(logits, axis=1)}


class Adapter(Arrays):
    """Puts jobs through an MXNet loss."""

    def __init__(self, settings):
        super().__init__(settings)
        gpus = mx.context.num_gpus() if settings["device"] != "cpu" else 0
        self.context = mx.gpu() if gpus else mx.cpu()
        self.description = {"framework": "mxnet " + mx.__version__, "called": "logits (N, C, H, W), target",
                            "device": "cuda" if gpus else "cpu"}

    def loss_and_gradient(self, logits, target, activation, phase):
        """The loss, and its gradient with respect to the logits."""
        try:
            return self._loss_and_gradient(logits, target, activation, phase)
        except mx.MXNetError as error:
            error.args = (str(error).rpartition("MXNetError: ")[2],)  # begins with a stack of C++
            raise

    def _loss_and_gradient(self, logits, target, activation, phase):
        logits, target = mx.nd.array(logits, ctx=self.context), mx.nd.array(target, ctx=self.context)
        logits.attach_grad()
        with mx.autograd.record():
            loss = self.called(mx.nd.NDArray, _ACTIVATIONS[activation](logits), target)
        value = loss.asnumpy()  # waits: MXNet reports what went wrong only to who asks for the result
        phase("backward")
        loss.backward()
        return value, logits.grad.asnumpy()

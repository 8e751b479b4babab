"""Stands in for adapters/torch.py: the CPU plays the part of a GPU.

What raises on the CPU because an id, or a probability, is out of range, does here what it does on CUDA: thousands of lines on standard
error, an error that does not say which label it was, and a device that is lost to the process. `SIMULATED` in the environment
chooses how: ``blocking`` (an error after the assertion), ``abort`` (the process dies of it), ``printed`` (the assertion is only printed),
``hip`` (an error after the assertion, as AMD's devices word them), ``status`` (an error of a library, and the device works on).
With ``drift`` the running statistics come out otherwise than on the CPU.

The losses are in numpy, so that a worker starts at once; where the test has put the real adapter beside this file, as real_torch.py,
they are in torch.
"""

import os
import sys

import numpy as np
from labelguard_arrays import Arrays
from labelguard_importing import module_from

HERE = os.path.dirname(__file__)
OUT_OF_RANGE = ("out of bounds", "out of range", "class values must be", "between 0 and 1", "index")
ASSERTION = ("/pytorch/aten/src/ATen/native/cuda/Loss.cu:{}: nll_loss2d_forward_kernel: block: [{},0,0], thread: [131,0,0] "
             "Assertion `t >= 0 && t < n_classes` failed.\n")
ERROR = ("CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert' in https://docs.nvidia.com/cuda/ for more information.\n"
         "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")


class InNumpy(Arrays):
    """A loss gives itself and its gradient with respect to the logits."""

    def __init__(self, settings):
        super().__init__(settings)
        self.description = {"framework": "numpy " + np.__version__, "device": "cpu"}

    def loss_and_gradient(self, logits, target, activation, phase):
        phase("forward")
        if activation == "sigmoid":
            logits = 1 / (1 + np.exp(-logits.clip(-50, 50)))
        return self.loss(logits, target)


REAL = os.path.join(HERE, "real_torch.py")
Base = module_from(REAL, "real_torch").Adapter if os.path.exists(REAL) else InNumpy


class Adapter(Base):
    """The adapter, with a loss that asserts."""

    def __init__(self, settings):
        super().__init__(dict(settings, device="cpu"))
        self.how = os.environ.get("SIMULATED", "blocking") if settings["device"] != "cpu" else ""
        self.lost = False
        if self.how:
            self.description.update(device="cuda", device_name="Simulated GPU")

    def use(self, loss, model):
        super().use(loss, model)
        real = self.loss

        def asserting(logits, target):
            if self.lost:
                raise RuntimeError(ERROR)
            try:
                return real(logits, target)
            except (IndexError, RuntimeError) as error:
                if not any(words in str(error).lower() for words in OUT_OF_RANGE):
                    raise
            if self.how == "status":
                raise RuntimeError("CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx`")
            if self.how == "hip":
                self.lost = True
                sys.stderr.write("Loss.hip:106: nll_loss2d_forward_kernel: Device-side assertion `t >= 0 && t < n_classes' failed.\n")
                raise RuntimeError("HIP error: device-side assert triggered")
            sys.stderr.write("".join(ASSERTION.format(106, block) for block in range(2000)))
            sys.stderr.flush()
            if self.how == "abort":
                os.abort()
            if self.how == "printed":
                return real(logits, target * 0)
            self.lost = True
            raise RuntimeError(ERROR)

        if self.how:
            self.loss = asserting

    def step(self, job, phase):
        result = super().step(job, phase)
        if self.how == "drift":
            result["statistics"] = {name: [value + 1 for value in values] for name, values in result.get("statistics", {}).items()}
        return result

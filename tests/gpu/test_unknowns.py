"""What only a GPU can say: these tests note it, and fail only where a program does not come back."""

from __future__ import annotations

import subprocess
import sys
import unittest

import numpy as np

from labelguard.lossprobe import ImportPath, Settings
from labelguard.lossprobe.supervisor.runner import LossRunner
from tests.gpu import cuda

_TARGET = """
logits = torch.randn(2, 12, 16, 20, device=device, requires_grad=True)
target = torch.randint(0, 12, (2, 16, 20), device=device)
"""
_BAD = _TARGET + "target[1, 5, 7] = 255\n"
_CROSS_ENTROPY = _BAD + "functional.cross_entropy(logits, target).backward()"


@cuda.needed
class Unknowns(unittest.TestCase):
    def see(self, topic: str, code: str, **environment: str) -> cuda.Ran:
        try:
            ran = cuda.program(code, **environment)
        except subprocess.TimeoutExpired as late:
            cuda.note(topic, f"did not come back within {late.timeout:.0f} s")
            raise
        cuda.note(topic, str(ran))
        return ran

    def test_an_assert_that_is_caught(self) -> None:
        for blocking in "10":
            for dsa in "10":
                ran = self.see(f"cross_entropy with 255, CUDA_LAUNCH_BLOCKING={blocking}, PYTORCH_USE_CUDA_DSA={dsa}", _CROSS_ENTROPY,
                               CUDA_LAUNCH_BLOCKING=blocking, PYTORCH_USE_CUDA_DSA=dsa)
                self.assertIn("raised", ran.told)

    def test_the_device_after_an_assert(self) -> None:
        self.see("A plain tensor in the same process after an assert", f"""
try:
{''.join(f"    {line}" + chr(10) for line in _CROSS_ENTROPY.strip().splitlines())}
    torch.cuda.synchronize()
except RuntimeError:
    told["then"] = float(torch.ones(3, device=device).sum())
""")

    def test_an_assert_that_nobody_catches(self) -> None:
        done = subprocess.run([sys.executable, "-c", f"import torch\nfrom torch.nn import functional\ndevice = '{cuda.DEVICE}'\n"
                               f"{_CROSS_ENTROPY}\ntorch.cuda.synchronize()"], capture_output=True, text=True, timeout=100)
        cuda.note("An assert that nobody catches", f"exit code {done.returncode}; the last line: "
                  f"{(done.stderr.strip().splitlines() or [''])[-1][:200]}")

    def test_no_reduction_forward_and_backward(self) -> None:
        self.see("cross_entropy(reduction=\"none\") with 255", _BAD + """
loss = functional.cross_entropy(logits, target, reduction="none")
if device == "cuda":
    torch.cuda.synchronize()
told["forward"] = "passed"
loss.mean().backward()
if device == "cuda":
    torch.cuda.synchronize()
told["backward"] = "passed"
""")

    def test_labels_beyond_32_bits(self) -> None:
        for label, classes in (("2**32 + 3", range(12)), ("2**32 - 100", range(12))):
            self.see(f"cross_entropy with the label {label}", _TARGET + f"""
target[1, 5, 7] = {label}
told["loss"] = value = float(functional.cross_entropy(logits, target))
for k in [-100, *{list(classes)}]:
    target[1, 5, 7] = k
    if abs(float(functional.cross_entropy(logits, target)) - value) < 1e-6:
        told["as_class"] = k
""")

    def test_other_types_of_targets(self) -> None:
        for kind in ("uint8", "int8", "int16", "int32", "bool"):
            self.see(f"cross_entropy with {kind} targets", _TARGET + f"""
told["loss"] = float(functional.cross_entropy(logits, target.to(torch.{kind})))
""")

    def test_a_compiled_loss(self) -> None:
        self.see("torch.compile of cross_entropy with 255", _BAD + "torch.compile(functional.cross_entropy)(logits, target).backward()")

    def test_batch_normalization_over_one_value_by_the_plain_function(self) -> None:
        self.see("torch.native_batch_norm over one value for each channel", """
mean, variance = torch.zeros(3, device=device), torch.ones(3, device=device)
one = torch.ones(3, device=device)
torch.native_batch_norm(torch.randn(1, 3, 1, 1, device=device), one, one, mean, variance, True, 0.1, 1e-5)
told["running_var"] = variance.tolist()
""")

    def test_memory_after_a_worker_was_killed(self) -> None:
        def used() -> str:
            asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader"]
            try:
                return subprocess.run(asked, capture_output=True, text=True, timeout=30).stdout.strip().splitlines()[0]
            except (OSError, IndexError):
                return "unknown (no nvidia-smi)"
        before = used()
        with LossRunner(ImportPath("torch.nn:CrossEntropyLoss"), Settings(device="cuda")) as run:
            run.classes = 12
            self.assertFalse(run(np.zeros((2, 256, 256), np.int64)).failed)
            during = used()
            assert run._worker is not None
            run._worker.kill()
        cuda.note("Memory of the device", f"{before} before a worker, {during} while it runs, {used()} right after it was killed")


if __name__ == "__main__":
    unittest.main()

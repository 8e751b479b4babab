"""A failed step in words."""

from __future__ import annotations

import pytest

from labelguard.lossprobe.findings.wording import evidence_of, expected_on_cuda, what_happened
from labelguard.lossprobe.supervisor.outcome import Step
from labelguard.lossprobe.supervisor.settings import Settings


@pytest.mark.parametrize(("error", "amp", "words"), [
    ('"nll_loss2d_forward_out_frame" not implemented for \'Half\'', "fp16", "it may pass (rule: autocast casts other operations"),
    ("dot : expected both vectors to have same dtype, but found BFloat16 and Float", "bf16", "it may pass (rule: autocast casts"),
    ("dot : expected both vectors to have same dtype, but found BFloat16 and Float", "fp32", ""),
    ("a size mismatch", "bf16", ""),
    ("Target 255 is out of bounds.", "bf16", "device-side assert"),
])
def test_half_precision_that_only_a_cpu_refuses_is_told_from_the_rest(error: str, amp: str, words: str) -> None:
    step = Step("random", "exception", "forward", error_type="RuntimeError", error=error)
    said = expected_on_cuda(step, Settings(amp=amp))
    assert said.startswith(words) and bool(said) is bool(words)


def test_a_loss_that_gives_no_tensor_has_raised_nothing() -> None:
    step = Step("random", "exception", "loss", error_type="TypeError", error="the loss gave None, no tensor to take a gradient of")
    assert what_happened(step) == "gives None, no tensor to take a gradient of"


def test_a_device_that_is_full_says_by_whom() -> None:
    error = "CUDA out of memory. Tried to allocate 2 GiB. Process 17 has 70 GiB in use."
    assert evidence_of(Step("random", "out-of-memory", "forward", error_type="OutOfMemoryError", error=error)) == (error.rstrip("."),)

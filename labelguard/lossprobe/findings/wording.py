"""A failed step in words: what the loss did, where, and on which line."""

from __future__ import annotations

import os

from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, RIGHT, WRONG, Step
from labelguard.lossprobe.supervisor.settings import Settings

_PHASES = {"target": "handing over the masks", "logits": "making the logits", "model": "the network", "forward": "the forward pass",
           "loss": "reading the loss", "backward": "the backward pass", "gradient": "reading the gradient",
           "buffers": "reading the buffers", "import": "the import", "": "starting"}
_REGIMES = {RIGHT: "once the network is certain and right", WRONG: "once the network is certain and wrong"}
_GAVE = "the loss gave "   # how the worker begins where no tensor was returned: nothing was raised then
_HALF_ON_CPU = ("half", "bfloat16", "float16", "scalar type", "dtype")   # kernels that are missing, types at odds
IS_A_LOSS = "which is a loss itself, and no tensor"
# The operations that check ranges: they raise on the CPU and assert on a GPU (ATen/native/cuda: NLLLoss, ScatterGatherKernel, IndexKernel,
# Loss). These are parts of PyTorch's messages in lower case.
_ASSERTS_ON_CUDA = ("out of bounds", "index out of range in", "label value", "class values must be", "between 0 and 1", "must be in [")


def sentence(step: Step) -> str:
    """A failed step as a sentence, without a full stop."""
    subject = "The network" if step.phase == "model" else "A training step" if step.status == "nan-buffer" else "The loss"
    return f"{subject} {what_happened(step)}"


def what_happened(step: Step) -> str:
    """A failed step as a verb phrase whose subject is what failed."""
    where = f" {_REGIMES[step.regime]}" if step.regime in _REGIMES else ""
    if step.error.startswith(_GAVE):
        return f"gives {first_line(step.error).removeprefix(_GAVE)}{where}"
    if step.status == "exception":
        during = "" if step.phase in ("forward", "model", "") else f" in {_PHASES[step.phase]}"
        return f"raises {step.error_type}{during}{where}: {first_line(step.error)}"
    if step.status == "assert":
        return f"trips {step.native or first_line(step.error)} in {_PHASES[step.phase]}{where}"
    if step.status in ("death", "exit"):
        how = step.native or first_line(step.error)
        return f"ends its process in {_PHASES[step.phase]}{where} ({how})"
    if step.status == "garbled":
        return f"writes to a file descriptor that is not its own in {_PHASES[step.phase]}{where}: the probe was told {step.native}"
    if step.status == "timeout":
        return f"does not return from {_PHASES[step.phase]}{where}"
    if step.status == "out-of-memory":
        return f"runs out of memory in {_PHASES[step.phase]}{where}"
    if step.status == "nan-loss":
        gradient = "" if step.gradient is None else " (its gradient is exactly 0)" if step.gradient == 0 else \
            " (and so is its gradient)" if step.gradient != step.gradient else " (its gradient is finite)"
        return f"is {_number(step.loss)}{gradient}{where}"
    if step.status == "nan-gradient":
        return f"is {_number(step.loss)}, and its gradient is not finite at {step.bad_pixels:,} pixels{where}"
    return f"leaves {', '.join(step.buffers[:3])} not finite{where}"


def is_latent(step: Step) -> bool:
    """Whether only a network that is certain of itself meets the failure: random logits pass, and certain ones give NaN."""
    return step.regime in _REGIMES and step.status in NOT_FINITE


def expected_on_cuda(step: Step, settings: Settings) -> str:
    """What a failure on the CPU becomes on a GPU, and by which rule; empty where nothing is known."""
    if settings.framework != "torch":
        return ""
    text = f"{step.error_type} {step.error}".lower()
    if step.status == "exception" and any(words in text for words in _ASSERTS_ON_CUDA):
        return "device-side assert, and the process is lost (rule: a target out of range raises on the CPU and asserts on CUDA)"
    if settings.amp != "fp32" and step.status == "exception" and any(words in text for words in _HALF_ON_CPU):
        return "it may pass (rule: autocast casts other operations on CUDA than on the CPU, and more kernels there take half precision)"
    if step.status not in ("nan-loss", "nan-gradient"):
        return ""
    if settings.amp != "fp32":
        return "it may pass (rule: autocast computes sums and softmax in fp32 on CUDA, and in half precision on the CPU)"
    return "the same (rule: the formula is the same on every device)"


def evidence_of(step: Step) -> tuple[str, ...]:
    """What a failed step adds to its sentence: the line, and the operation."""
    lines = []
    if step.source:
        verb = "first not finite in" if step.status in NOT_FINITE else "the line"
        source = step.source.removeprefix(os.getcwd() + os.sep)
        lines.append(f"{verb} {step.operation + ', ' if step.operation else ''}{source}")
    if step.error and (not step.error_type or step.status == "out-of-memory"):
        lines.append(first_line(step.error) if step.error_type else step.error)
    return tuple(lines)


def first_line(text: str) -> str:
    """The first line of an error, without a full stop."""
    return (text.strip().splitlines() or [""])[0].strip().rstrip(".")


def _number(value: float | None) -> str:
    if value is None:
        return "not a number"
    return "NaN" if value != value else f"{value:g}"

"""Verdicts: what a failure is called, and how it is told."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from labelguard.checks import device_assert, loss_exception, nan_buffer, nan_gradient, nan_loss, native_death, out_of_memory, timeout
from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Fix, Severity
from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, RAISED, RIGHT, WRONG, Step
from labelguard.lossprobe.supervisor.settings import Settings

_RULES: dict[str, Rule] = {
    "exception": loss_exception.rule, "assert": device_assert.rule, "death": native_death.rule, "exit": native_death.rule,
    "timeout": timeout.rule, "out-of-memory": out_of_memory.rule, "nan-loss": nan_loss.rule, "nan-gradient": nan_gradient.rule,
    "nan-buffer": nan_buffer.rule}
_PHASES = {"target": "handing the masks over", "logits": "making logits", "model": "the network", "forward": "the forward pass",
           "loss": "reading the loss", "backward": "the backward pass", "gradient": "reading the gradient",
           "buffers": "reading the buffers", "import": "the import", "": "starting"}
_REGIMES = {RIGHT: "once the network is certain and right", WRONG: "once the network is certain and wrong"}
# What checks its range on the CPU and raises, asserts on a GPU (ATen/native/cuda: NLLLoss, ScatterGatherKernel, IndexKernel, Loss).
_ASSERTS_ON_CUDA = ("out of bounds", "index out of range in", "label value", "class values must be", "between 0 and 1", "must be in [")


@dataclass(frozen=True, slots=True)
class LossFinding(Finding):
    """A finding of the probe: a `Finding`, and the batch that it was seen in.

    Parameters
    ----------
    loss
        The loss, as it was asked for.
    level
        What is at fault, from ``pixel`` to ``shape``; see `labelguard.lossprobe.search.cause.Cause`. Empty where nothing was searched.
    phase, regime
        Where it happened: the phase of the pass, and what the logits said.
    batch
        The files of the batch, in its order.
    sample
        Which of them is at fault, counted from 0; None where that means nothing.
    exception, native, source
        The exception's class and text; signal, exit code or assertion; the user's line.
    value, gradient
        The loss, and the largest absolute gradient; nan where they are not finite.
    repeats
        How often the smallest case failed, and how often it ran.
    verified_on
        Device and framework on which this was seen.
    expected_on_cuda
        What was only predicted for a GPU, and by which rule; empty where it was seen there, or nothing is predicted.
    repro
        A command that runs exactly that batch again.
    """

    loss: str = ""
    level: str = ""
    phase: str = ""
    regime: str = ""
    batch: tuple[str, ...] = ()
    sample: int | None = None
    exception: str = ""
    native: str = ""
    source: str = ""
    value: float | None = None
    gradient: float | None = None
    repeats: tuple[int, int] = (1, 1)
    verified_on: str = ""
    expected_on_cuda: str = ""
    repro: str = field(default="", kw_only=True)


def rule_of(step: Step) -> Rule:
    """The rule that a failed step falls under."""
    return _RULES[step.status]


def loss_finding(rule: Rule, message: str, step: Step, severity: Severity | None = None, fix: Fix | str = "",
                 **details: Any) -> LossFinding:
    """A finding of a rule; what a step shows goes along."""
    return LossFinding(rule.code, rule.name, severity or rule.severity, message, phase=step.phase, regime=step.regime, native=step.native,
                       source=step.source, value=step.loss, gradient=step.gradient, fix=Fix.of(fix),
                       exception=f"{step.error_type}: {step.error}" if step.error_type else "", **details)


def sentence(step: Step) -> str:
    """A failed step as a sentence, without a full stop."""
    subject = "The network" if step.phase == "model" else "A training step" if step.status == "nan-buffer" else "The loss"
    return f"{subject} {what_happened(step)}"


def what_happened(step: Step) -> str:
    """A failed step as the rest of a sentence about what failed."""
    where = f" {_REGIMES[step.regime]}" if step.regime in _REGIMES else ""
    if step.status == "exception":
        during = "" if step.phase in ("forward", "model", "") else f" in {_PHASES[step.phase]}"
        return f"raises {step.error_type}{during}{where}: {first_line(step.error)}"
    if step.status == "assert":
        return f"trips {step.native or first_line(step.error)} in {_PHASES[step.phase]}{where}"
    if step.status in ("death", "exit"):
        how = step.native or first_line(step.error)
        return f"ends its process in {_PHASES[step.phase]}{where} ({how})"
    if step.status == "timeout":
        return f"does not come back from {_PHASES[step.phase]}{where}"
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
    """Whether it takes a network that is sure of itself: random logits pass, and only certain ones turn NaN."""
    return step.regime in _REGIMES and step.status in NOT_FINITE


def expected_on_cuda(step: Step, settings: Settings) -> str:
    """What a failure on the CPU becomes on a GPU, and by which rule; empty where nothing is known."""
    if settings.framework != "torch":
        return ""
    text = f"{step.error_type} {step.error}".lower()
    if step.status == "exception" and any(words in text for words in _ASSERTS_ON_CUDA):
        return "device-side assert, and the process is lost (rule: a target out of range raises on the CPU and asserts on CUDA)"
    if step.status in RAISED and step.status != "exception":
        return ""
    if step.status not in ("nan-loss", "nan-gradient"):
        return ""
    if settings.amp != "fp32":
        return "it may pass (rule: autocast on CUDA takes sums and softmax in fp32, on the CPU it leaves them in half precision)"
    return "the same (rule: the formula is the same on every device)"


def evidence_of(step: Step) -> tuple[str, ...]:
    """What a failed step adds to what is said already: the line, and the operation."""
    lines = []
    if step.source:
        verb = "first not finite in" if step.status in NOT_FINITE else "the line"
        source = step.source.removeprefix(os.getcwd() + os.sep)
        lines.append(f"{verb} {step.operation + ', ' if step.operation else ''}{source}")
    if step.error and not step.error_type:
        lines.append(step.error)
    return tuple(lines)


def first_line(text: str) -> str:
    """The first line of an error, without a full stop."""
    return (text.strip().splitlines() or [""])[0].strip().rstrip(".")


def _number(value: float | None) -> str:
    if value is None:
        return "no number"
    return "NaN" if value != value else f"{value:g}"

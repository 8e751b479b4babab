"""LossFinding: a finding of the probe, and the rule that a failure falls under."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labelguard.checks.registry import rule_named
from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Fix, Severity
from labelguard.lossprobe.supervisor.outcome import Step

_RULES = {"exception": "loss-exception", "assert": "device-assert", "death": "native-death", "exit": "native-death",
          "garbled": "native-death"}


@dataclass(frozen=True, slots=True)
class LossFinding(Finding):
    """A `Finding` with the batch in which it was seen.

    Parameters
    ----------
    loss
        The loss, with its arguments.
    level
        What is at fault, from ``pixel`` to ``shape``; see `labelguard.lossprobe.search.cause.Cause`. Empty where nothing was searched.
    phase, regime
        Where it happened: the phase of the pass, and what the logits said.
    batch
        The files of the batch, in its order.
    sample
        Which of them is at fault, counted from 0; None where no single one is.
    first_file
        The file in which `first` lies, which may be one of several; empty without `first`.
    exception, native, source
        The exception's class and text; signal, exit code or assertion; the user's line.
    value, gradient
        The loss, and the largest absolute gradient; nan where they are not finite.
    repeats
        How often the smallest case failed, and how often it was run.
    verified_on
        Device and framework on which this was seen.
    expected_on_cuda
        What was only predicted for a GPU, and by which rule; empty where it was seen there, or nothing is predicted.
    repro
        A command that runs exactly that batch again.
    wrapper
        A file to be written around a loss that the probe could not call; empty where it could.
    wrapper_file
        A path for it at which there is nothing yet.
    mentions_neutral_masks
        Whether the sentences speak of neutral masks, which the report then explains.
    repeated
        How many further batches failed in the same way and were only counted; the last line of the evidence then says so.
    """

    loss: str = ""
    level: str = ""
    phase: str = ""
    regime: str = ""
    batch: tuple[str, ...] = ()
    sample: int | None = None
    first_file: str = ""
    exception: str = ""
    native: str = ""
    source: str = ""
    value: float | None = None
    gradient: float | None = None
    repeats: tuple[int, int] = (1, 1)
    verified_on: str = ""
    expected_on_cuda: str = ""
    repro: str = field(default="", kw_only=True)
    wrapper: str = field(default="", kw_only=True)
    wrapper_file: str = field(default="", kw_only=True)
    mentions_neutral_masks: bool = field(default=False, kw_only=True)
    repeated: int = field(default=0, kw_only=True)


def rule_of(step: Step) -> Rule:
    """The rule that a failed step falls under; most are named after the status."""
    return rule_named(_RULES.get(step.status, step.status))


def loss_finding(rule: Rule, message: str, step: Step, severity: Severity | None = None, fix: Fix | str = "",
                 **details: Any) -> LossFinding:
    """A finding of a rule; `details` are fields of `LossFinding`, and what the step shows is added."""
    return LossFinding(rule.code, rule.name, severity or rule.severity, message, phase=step.phase, regime=step.regime, native=step.native,
                       source=step.source, value=step.loss, gradient=step.gradient, fix=Fix.of(fix),
                       exception=f"{step.error_type}: {step.error}" if step.error_type else "", **details)

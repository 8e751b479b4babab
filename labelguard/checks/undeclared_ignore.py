"""An id is used as a void label, but is not declared as one.

What it does
------------
Reports 255 (65535 in 16 bits) or a negative id that is not declared as ignored and looks like void: thin borders between objects, or an
id beside a complete set of classes. If the evidence does not tell a void label from a wrapped -1, the id is reported as undetermined.

Why is this bad?
----------------
The loss skips nothing that it was not told to skip: the id is out of range and kills the run. Dice, one-hot encoding and metrics each
have to be told as well.

How to fix
----------
Declare it (`--ignore-index 255`, or in labelguard.toml) and give the same number to every loss and metric. Do not turn void into
background: that makes published results worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelguard.checks._unexpected_ids import judge
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG103", "undeclared-ignore", Severity.ERROR, "An id is used as a void label, but is not declared as one.",
            symptom_of=("LG108", "LG109", "LG111"), needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for verdict in judge(data, spec):
        label = verdict.ids[0]
        found: dict[str, Any] = {"ids": verdict.ids, "pixels": sum(data.ids[i] for i in verdict.ids), "evidence": verdict.evidence,
                 "files": data.files(verdict.ids)}
        if verdict.cause == "void":
            yield rule.finding(f"{label} is a void label that is not declared.", **found,
                               severity=Severity.ERROR if spec.declared else Severity.WARNING,
                               fix=f"Declare it: --ignore-index {label}, and tell every loss and metric the same.")
        elif verdict.cause == "no-class":
            yield rule.finding(
                f"{label} marks pixels without a class: a void label that is not declared, or a -1 that wrapped in uint{verdict.bits}.",
                **found, fix=f"If they are void, declare it: --ignore-index {label}. If they are a class, move them there.")
        elif verdict.cause == "undetermined":
            yield rule.finding(f"{label} is undetermined: a void label that is not declared, or {_other(label, verdict.bits)}.",
                               severity=Severity.WARNING, fix=verdict.settle, **found)


def _other(label: int, bits: int) -> str:
    return "a class that a shift by -1 has moved" if label < 0 else f"a -1 that wrapped in uint{bits}"

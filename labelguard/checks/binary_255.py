"""The foreground of a two-class set is stored as 255 instead of 1.

What it does
------------
Reports two-class sets whose foreground is 255 (65535 in 16 bits, 127, 128 or 254 where somebody halved or shifted it) in all files or in
some. It is weighed against 255 as a void label, and against a background of -1 that has wrapped: a background fills the frame.

Why is this bad?
----------------
Cross entropy stops with "Target 255 is out of bounds". Binary cross entropy runs and sinks to minus thousands. Where the loader ignores
255, the whole foreground is silently ignored: accuracy 100 %, IoU 0.

How to fix
----------
Move 255 to 1. Viewers then show the masks as black; that is how ids look.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import said
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG104", "binary-255", Severity.ERROR, "The foreground of a two-class set is stored as 255 instead of 1.",
            symptom_of=("LG205",), needs_facts=("erosion",))

_DECLARE = "If these are two classes, declare it, and the command is printed: --num-classes 2."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "binary"):
        value = word.explanation.amount
        others = "no other id is seen" if 1 not in data.files_with else "other files store the foreground as 1"
        yield word.finding(rule, f"The foreground is stored as {value} instead of 1.", (value,), explains=(1,),
                           evidence=(word.seen((value,)), others), fix=None if spec.declared else _DECLARE,
                           most=Severity.ERROR if spec.declared else Severity.WARNING)

"""An id is used as a void label, but is not declared as one.

What it does
------------
Reports 255 (65535 in 16 bits), a negative id or the one after the last class that is not declared as ignored and looks like void: thin
borders between objects, or an id beside a complete set of classes; where nothing is declared, any id that can hardly be anything else.
If the evidence does not tell a void label from a wrapped -1, the id is reported as undetermined.

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

from labelguard.checks._weighed import said, shape_of
from labelguard.checks.rule import Rule
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG103", "undeclared-ignore", Severity.ERROR, "An id is used as a void label, but is not declared as one.",
            of_classes=True, needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "void"):
        label = word.explanation.amount
        if label >= 0 and label not in TOPS and (spec.num_classes != label if spec.declared else not word.certain):
            continue  # any stray id may be void; the top of a type is meant so, and the id after the last class
        settle = f"Declare it: --ignore-index {label}, and tell every loss and metric the same." if word.certain else (
            f"If {label} is a void label, declare it: --ignore-index {label}. If not, look at one mask beside its image: what does {label} "
            f"cover?{'' if spec.declared else ' The number of classes settles it in most cases: --num-classes.'}")
        yield word.finding(rule, f"{label} is a void label that is not declared.", (label,), fix=settle,
                           evidence=(word.seen((label,)), *shape_of(label, data)),
                           most=Severity.ERROR if spec.declared else Severity.WARNING)

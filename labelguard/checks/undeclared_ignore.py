"""An id is used as a void label, but is not declared as one.

What it does
------------
Reports 255 (65535 in 16 bits), a negative id or the one after the last class that is not declared as ignored and looks like void: thin
borders between objects, or an id beside a complete set of classes. Where no classes are declared, any other id that may be void is a
note, and a warning if it can hardly be anything else, but for a stray id. If the evidence does not tell a void label from a wrapped -1,
the id is reported as undetermined.

Why is this bad?
----------------
The loss skips nothing that it was not told to skip: the id is out of range and kills the run. Dice, one-hot encoding and metrics each
have to be told as well.

How to fix
----------
See what it covers: `labelguard show FILE --image IMAGES --ids 255`. If it is void, declare it (`--ignore-index 255`, or in
labelguard.toml) and give the same number to every loss and metric. Do not turn void into background: that makes published results worse.
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
        declare = f"If {label} is a void label, declare it: --ignore-index {label}. If not, look at one mask beside its image: what does " \
                  f"{label} cover?{'' if spec.declared else ' The number of classes settles it in most cases: --num-classes.'}"
        evidence = (word.seen((label,)), *shape_of(label, data))
        meant = label < 0 or label in TOPS or (label == spec.num_classes if spec.declared else word.certain)
        if not meant:
            if spec.declared:
                continue  # it is out of range, and any stray id may be void: the rule on these says both
            yield rule.finding(f"Perhaps {label} is a void label that is not declared, as any stray id may be.", severity=Severity.NOTE,
                               ids=(label,), files=word.files((label,)), evidence=evidence, fix=declare)
        else:
            stray = label >= 0 and label not in TOPS and not spec.declared  # which tells no void label from a slip of the brush
            known = f"Declare it: --ignore-index {label}, and tell every loss and metric the same."
            settle = declare if stray or not word.certain else known
            yield word.finding(rule, f"{label} is a void label that is not declared{', or a stray id' * stray}.", (label,),
                               fix=settle, evidence=evidence,
                               most=Severity.ERROR if spec.declared and label != spec.num_classes else Severity.WARNING)

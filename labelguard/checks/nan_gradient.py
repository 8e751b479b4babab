"""The loss is finite, but its gradient is not.

What it does
------------
Reports gradients with respect to the logits that hold NaN or infinity although the loss is finite.

Why is this bad?
----------------
Nothing that watches the loss notices, and after one step every weight is NaN. The usual reason is a division by zero whose result is
masked out afterwards: in the backward pass, 0 times NaN is NaN.

How to fix
----------
Mask before the division, not after it. The finding names the operation and the line.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG505", "nan-gradient", Severity.ERROR, "The loss is finite, but its gradient is not.", found_by="probe")
rule.module = __name__

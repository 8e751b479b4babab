"""The loss is a finite number, and its gradient is not.

Looks for: gradients with respect to the logits that hold NaN or infinity although the loss is finite.

Hurts because: nothing that watches the loss sees it, and after one step every weight is NaN. The usual reason is a division by
zero whose result is masked out afterwards: 0 times NaN is NaN on the way back.

Mend it: mask before the division, not after it; the finding names the operation and the line.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG505", "nan-gradient", Severity.ERROR, "The loss is finite, and its gradient is not.", found_by="probe")
rule.module = __name__

"""The loss fails whatever the masks hold.

Looks for: failures that stay when every mask is replaced by one that holds every class and nothing else.

Hurts because: training fails, and no search among the masks would find out why: it is how the loss is called, the size of the
batch, or the loss itself.

Mend it: hold `--target`, `--activation`, the arguments and the class count against the line of the training that calls the loss.
Where a batch norm got a single value, drop the last batch.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG512", "not-mask-dependent", Severity.ERROR, "The loss fails on any masks of this shape.", found_by="probe")
rule.module = __name__

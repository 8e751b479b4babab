"""A pass through the loss does not end.

Looks for: passes that take longer than `--timeout`, and than 20 times the median of those before.

Hurts because: a training run stands still without a word.

Mend it: the finding names the line that was running, and the mask where one is at fault. If the loss is slow by nature, raise
`--timeout`.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG509", "timeout", Severity.ERROR, "A pass takes far longer than the others, or never ends.", found_by="probe")
rule.module = __name__

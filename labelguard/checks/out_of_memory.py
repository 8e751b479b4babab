"""A batch needs more memory than there is.

Looks for: allocations that fail, and workers that had to be ended before they took everything.

Hurts because: the masks were not probed at this batch size. It says nothing against the masks.

Mend it: use a smaller batch, or smaller masks; the finding names the size that fits. `--max-memory` gives the probe more.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG510", "out-of-memory", Severity.WARNING, "The batch needs more memory than there is.", found_by="probe")
rule.module = __name__

"""The batch needs more memory than there is.

What it does
------------
Reports failed allocations, and workers that had to be stopped before they took all memory.

Why is this bad?
----------------
The masks were not probed at this batch size. This says nothing against the masks.

How to fix
----------
Use smaller batches or smaller masks; the finding names the size that fits. `--max-memory` gives the probe more.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG510", "out-of-memory", Severity.WARNING, "The batch needs more memory than there is.", found_by="probe")
rule.module = __name__

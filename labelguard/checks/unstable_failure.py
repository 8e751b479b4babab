"""The same batch fails on some runs and not on others.

What it does
------------
Reports failures that do not come back when the very same batch is run again.

Why is this bad?
----------------
No pixel can be blamed for a failure that comes and goes. Frameworks that read past an array behave like this.

How to fix
----------
The finding gives the counts. Repair what `labelguard scan` reports, then probe again.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG513", "unstable-failure", Severity.ERROR, "The same batch fails on some runs and not on others.", found_by="probe")
rule.module = __name__

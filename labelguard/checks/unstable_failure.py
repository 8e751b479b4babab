"""The same batch fails on some runs and not on others.

Looks for: failures that do not come back when the very same batch is run again.

Hurts because: no pixel can be blamed for what comes and goes; frameworks that read past an array behave so.

Mend it: the finding gives the counts. Mend what `labelguard scan` reports, then probe again.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG513", "unstable-failure", Severity.ERROR, "The same batch fails on some runs and not on others.", found_by="probe")
rule.module = __name__

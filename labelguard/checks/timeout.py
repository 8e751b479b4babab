"""A pass takes far longer than the others, or never ends.

What it does
------------
Reports passes that take longer than `--timeout`, and longer than 20 times the median of those before; the first ones, in which a loss may
be compiled, six times as long.

Why is this bad?
----------------
A training run hangs without a message.

How to fix
----------
The finding names the line that was running, and the mask if one is at fault. If the loss is slow by nature, raise `--timeout`.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG509", "timeout", Severity.ERROR, "A pass takes far longer than the others, or never ends.", found_by="probe")
rule.module = __name__

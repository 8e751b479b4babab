"""The loss, the network or their framework cannot be imported or made.

Looks for: exceptions and deaths while the worker imports the framework, the loss and the network, and calls them with their
arguments.

Hurts because: nothing was probed.

Mend it: the finding quotes the error. `--python` names the interpreter that has the framework; modules are looked for in the
current folder first.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG511", "loss-import-failed", Severity.ERROR, "The loss, the network or their framework cannot be imported.", found_by="probe")
rule.module = __name__

"""The loss, the network or their framework cannot be imported or created.

What it does
------------
Reports exceptions and crashes while the worker imports the framework, the loss and the network, and calls them with their arguments.

Why is this bad?
----------------
Nothing was probed.

How to fix
----------
The finding quotes the error. `--python` names the interpreter that has the framework; modules are looked for in the current folder first.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG511", "loss-import-failed", Severity.ERROR,
            "The loss, the network or their framework cannot be imported or created.", found_by="probe")
rule.module = __name__

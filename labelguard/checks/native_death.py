"""The process that runs the loss dies.

What it does
------------
Reports that the process of the loss ended during a pass, by a signal or by exiting. The finding gives the signal or the exit code, and
the line that was running. A loss that writes to a file descriptor that is not its own, and so between the messages of its process, is
reported too.

Why is this bad?
----------------
A training run ends in the same way, mostly without a traceback; on a cluster it looks like a lost node. Frameworks and extensions that
read past an array where a label is out of range die on some runs and not on others.

How to fix
----------
If the finding names an id, repair the masks (`labelguard scan` names the cause). If masks that hold every class and nothing else die too,
it is the loss or its installation.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG502", "native-death", Severity.ERROR, "The process that runs the loss dies.", found_by="probe")
rule.module = __name__

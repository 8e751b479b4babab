"""The process that runs the loss dies: by a signal, or by leaving without a word.

Looks for: a worker that ends during a pass, with the signal or exit code, and with the line that was running.

Hurts because: a training run ends in the same way, mostly without a traceback, and on a cluster it looks like a lost node. Some
frameworks read past an array where a label is out of range: then it dies on some runs and not on others.

Mend it: where the finding names an id, mend the masks; where neutral masks die too, it is the loss or its installation.
"""

from __future__ import annotations

from labelguard.checks import Rule
from labelguard.finding import Severity

rule = Rule("LG502", "native-death", Severity.ERROR, "The process that runs the loss dies.", found_by="probe")
rule.module = __name__

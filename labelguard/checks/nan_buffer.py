"""Running statistics or parameters are not finite after a training step.

What it does
------------
Reports NaN and infinity in buffers and parameters of the loss and the network, after a step whose loss and gradient were finite.

Why is this bad?
----------------
Training goes on, but validation gives NaN, since only evaluation uses the running statistics.

How to fix
----------
Divide what is accumulated by at least 1. A batch norm with one value per channel has no variance: drop the last batch, or use larger
batches.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG506", "nan-buffer", Severity.ERROR,
            "Running statistics or parameters are not finite after a training step.", found_by="probe")
rule.module = __name__

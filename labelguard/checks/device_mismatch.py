"""The same training step leaves different running statistics on the CPU and on the GPU.

What it does
------------
Where both devices are available, runs the same step on each and reports the buffers of the network that differ afterwards.

Why is this bad?
----------------
A network that is trained on one device and evaluated on the other gives different, or NaN, predictions.

How to fix
----------
Update the framework, or train and evaluate on the same device. The finding names the layers.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG514", "device-mismatch", Severity.WARNING,
            "The same training step leaves different running statistics on the CPU and on the GPU.", found_by="probe")
rule.module = __name__

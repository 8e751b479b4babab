"""The same training step leaves other running statistics on the GPU than on the CPU.

Looks for: buffers of the network that differ after the same step on each, where both devices are there.

Hurts because: a network that is trained on one and evaluated on the other gives different, or NaN, predictions.

Mend it: update the framework, or train and evaluate on the same device; the finding names the layers.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG514", "device-mismatch", Severity.WARNING, "Running statistics differ between the CPU and the GPU.", found_by="probe")
rule.module = __name__

"""Running statistics, buffers or parameters are not finite after one training step.

Looks for: NaN and infinity in buffers and parameters of the loss and the network, after a step whose loss and gradient were finite.

Hurts because: training goes on, and validation gives NaN, since running statistics are used only there.

Mend it: divide by at least 1 what is kept. A batch norm over one value for each channel has no variance: drop the last batch,
or use larger ones.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG506", "nan-buffer", Severity.ERROR, "Running statistics or parameters are not finite after a step.", found_by="probe")
rule.module = __name__

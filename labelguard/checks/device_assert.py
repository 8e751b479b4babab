"""A batch trips a device-side assertion in the target loss.

Looks for: a CUDA error or an assertion of a kernel, in the forward or the backward pass; also assertions that are only printed
while the run goes on.

Hurts because: the process has lost the device. Every later call fails, the error is reported from an unrelated line, and
nothing says which label of which file it was.

Mend it: the finding names the file, the pixel and the id. Mend the masks (`labelguard scan` names the cause), or tell the loss
to ignore the id.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG501", "device-assert", Severity.ERROR, "The loss trips an assertion on the device.", found_by="probe")
rule.module = __name__

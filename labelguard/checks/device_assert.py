"""A batch trips a device-side assertion in the target loss.

Looks for: a CUDA error, or an assertion of a kernel in the forward or backward pass, also one that is only printed while the
run goes on.

Hurts because: the context of the process is gone with it: every later call fails, the error shows up in an unrelated line,
and without CUDA_LAUNCH_BLOCKING nothing says which label it was.

Mend it: the finding names the file, the pixel and the id; mend the masks (`labelguard scan` names the cause), or declare the
id to the loss as its ignore index.
"""

from __future__ import annotations

from labelguard.checks import Rule
from labelguard.finding import Severity

rule = Rule("LG501", "device-assert", Severity.ERROR, "The loss trips an assertion on the device.", found_by="probe")
rule.module = __name__

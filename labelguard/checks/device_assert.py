"""The loss triggers an assertion on the device.

What it does
------------
Reports errors in the forward or the backward pass after which the device is lost, such as "CUDA error: device-side assert triggered", and
failed assertions that a kernel only prints while the run goes on. The status of a library, after which the device still answers, is an
ordinary exception.

Why is this bad?
----------------
The process has lost the device: every later call fails, the error is reported from an unrelated line, and nothing says which label of
which file caused it.

How to fix
----------
The finding names the file, the pixel and the id. Repair the masks (`labelguard scan` names the cause), or tell the loss to ignore the id.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG501", "device-assert", Severity.ERROR, "The loss triggers an assertion on the device.", found_by="probe")
rule.module = __name__

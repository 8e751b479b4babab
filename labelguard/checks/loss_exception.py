"""The loss, or the network before it, raises an exception.

What it does
------------
Reports exceptions in the forward or the backward pass, and results on which `backward()` cannot be called: a Python number, an empty
tensor.

Why is this bad?
----------------
The training run ends when that mask comes up. On a GPU the same label often causes a lost process instead of an exception.

How to fix
----------
The finding says what it is about the masks: an id, an empty mask, an absent class, a batch of one. An id has to be repaired (`labelguard
scan` names the cause) or ignored by the loss; the others the loss has to cope with.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG503", "loss-exception", Severity.ERROR, "The loss, or the network before it, raises an exception.", found_by="probe")
rule.module = __name__

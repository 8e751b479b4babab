"""The loss, or the network before it, raises an exception.

Looks for: exceptions in the forward or the backward pass, and results on which `backward()` cannot be called: a Python number,
an empty tensor.

Hurts because: the training run ends when that mask comes up. On a GPU the same label is often no exception, but a lost process.

Mend it: the finding says what it is about the masks: an id, an empty mask, an absent class, a batch of one. An id is to be
mended (`labelguard scan` names the cause) or ignored by the loss; with the others the loss has to cope.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG503", "loss-exception", Severity.ERROR, "The loss raises an exception.", found_by="probe")
rule.module = __name__

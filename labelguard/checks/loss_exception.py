"""The loss, or the network before it, raises an exception.

Looks for: exceptions in the forward or backward pass, and results on which `backward()` cannot be called: a Python number, an
empty tensor.

Hurts because: the training run ends when that mask comes up; on a GPU the same label is often no exception but a lost process.

Mend it: the finding says what the masks have to do with it: an id, an empty mask, a class that is absent, a batch of one.
"""

from __future__ import annotations

from labelguard.checks import Rule
from labelguard.finding import Severity

rule = Rule("LG503", "loss-exception", Severity.ERROR, "The loss raises an exception.", found_by="probe")
rule.module = __name__

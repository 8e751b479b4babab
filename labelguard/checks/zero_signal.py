"""A batch gives a gradient of exactly zero: nothing is learned from it.

Looks for: gradients that are exactly 0 on random logits, where the loss is finite.

Hurts because: the loss looks fine, and stays where it is. Where 0 and 255 are the only ids and 255 is ignored, all of the
foreground is gone, in every batch; that is an error.

Mend it: where ignored ids hold the foreground, do not ignore them. Batches of nothing but empty masks are a fact of the data:
leave some out, or see that the loss does not count them as perfect.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG508", "zero-signal", Severity.WARNING, "A batch gives a gradient of exactly zero.", found_by="probe")
rule.module = __name__

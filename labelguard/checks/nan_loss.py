"""The loss is NaN or infinite.

Looks for: losses that are not finite, on random logits, and once the network is certain, and right or wrong.

Hurts because: one such batch spoils every weight that its gradient reaches. Mostly it is a rare one: only ignored pixels, only
empty masks, a class without a pixel, a last batch of one.

Mend it: leave the masks out that the finding names, or let the loss divide by at least 1, at the line that is named. What takes a
network that has learned is a warning: it comes up after days.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG504", "nan-loss", Severity.ERROR, "The loss is not a finite number.", found_by="probe")
rule.module = __name__

"""The loss is NaN or infinite.

Looks for: losses that are not finite, on random logits, and on logits that are right, or wrong, beyond doubt.

Hurts because: one such batch poisons running means and every weight that its gradient reaches. Mostly it takes a batch that is
rare: only ignored pixels, only empty masks, a class that no pixel has, a last batch of one.

Mend it: leave the masks out that the finding names, or let the loss divide by at least 1. What needs a confident network is
a warning: it comes up after days of training.
"""

from __future__ import annotations

from labelguard.checks import Rule
from labelguard.finding import Severity

rule = Rule("LG504", "nan-loss", Severity.ERROR, "The loss is not a finite number.", found_by="probe")
rule.module = __name__

"""The loss is NaN or infinite.

What it does
------------
Reports losses that are not finite: on random logits, and for a network that is certain and right, or certain and wrong.

Why is this bad?
----------------
One such batch spoils every weight that its gradient reaches. Mostly it is a rare batch: only ignored pixels, only empty masks, a class
without a pixel, a last batch of one.

How to fix
----------
Leave out the masks that the finding names, or let the loss divide by at least 1, at the line that is named. If only a trained network
triggers it, the finding is a warning: it would come up after days.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG504", "nan-loss", Severity.ERROR, "The loss is NaN or infinite.", found_by="probe")
rule.module = __name__

"""The loss fails on any masks of this shape.

What it does
------------
Reports failures that remain when every mask is replaced by one that holds every class and nothing else; losses that have no gradient on any
masks, so that nothing is ever learned; and, as a note, losses that take the target first.

Why is this bad?
----------------
Training fails, and no search among the masks would find out why: the reason is how the loss is called, the size of the batch, or the loss
itself.

How to fix
----------
Compare `--target`, `--activation`, the arguments and the class count with the line of the training code that calls the loss. If a batch
norm got a single value, drop the last batch.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG512", "not-mask-dependent", Severity.ERROR, "The loss fails on any masks of this shape.", found_by="probe")
rule.module = __name__

"""A batch gives a gradient of exactly zero.

What it does
------------
Reports gradients that are exactly 0 on random logits although the loss is finite: nothing is learned from the batch. If another id
stands mostly in masks of a single class, and there is a gradient once it is a class, the foreground is stored as that id: an error.

Why is this bad?
----------------
The loss looks fine, and stays where it is. If 0 and 255 are the only ids and 255 is ignored, the entire foreground is gone, in every
batch; that is an error.

How to fix
----------
If ignored ids hold the foreground, do not ignore them. Batches of nothing but empty masks are a fact of the data: leave some out, or make
sure that the loss does not count them as perfect.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG508", "zero-signal", Severity.WARNING, "A batch gives a gradient of exactly zero.", found_by="probe")
rule.module = __name__

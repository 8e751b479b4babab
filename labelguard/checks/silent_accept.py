"""The loss accepts an id that is not a class, without an error.

What it does
------------
Reports ids that are not a class, or that should be ignored, and that the loss uses all the same. Each is planted, where the loss has a
gradient, to find out as what: a class (clipped to the last one, or wrapped), no class at all, a number to calculate with, or something to
leave out. The first such pixel of the masks is named.

Why is this bad?
----------------
No error is ever raised, and those pixels train the wrong thing: another class, or every class downwards.

How to fix
----------
Repair the masks (`labelguard scan` names the cause), or tell the loss to ignore the id; then probe again.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG507", "silent-accept", Severity.ERROR, "The loss accepts an id that is not a class, without an error.", found_by="probe")
rule.module = __name__

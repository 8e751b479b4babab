"""The loss takes an id that is no class, and says nothing.

Looks for: ids that are no class, or ignored, and that the loss takes all the same. One pixel of each is planted to see for what:
a class (clipped to the last one, or wrapped), no class at all, a number to calculate with, or something to leave out.

Hurts because: no error is ever raised, and those pixels train the wrong thing: another class, or every class downwards.

Mend it: mend the masks (`labelguard scan` names the cause), or tell the loss to ignore the id; then probe again.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Severity

rule = Rule("LG507", "silent-accept", Severity.ERROR, "The loss takes an id that is no class, without an error.", found_by="probe")
rule.module = __name__

"""The loss takes an id that is no class, and says nothing.

Looks for: ids outside the declared ones, and ignored ids, planted as one pixel: whether the loss takes them for a class (clipped
to the last one, or wrapped), for no class, for a bare number, or leaves them out.

Hurts because: no error is ever raised, and those pixels train the wrong thing: another class, or every class downwards.

Mend it: mend the masks, or declare the id to the loss as its ignore index, and probe again.
"""

from __future__ import annotations

from labelguard.checks import Rule
from labelguard.finding import Severity

rule = Rule("LG507", "silent-accept", Severity.ERROR, "The loss takes an id that is no class, without an error.", found_by="probe")
rule.module = __name__

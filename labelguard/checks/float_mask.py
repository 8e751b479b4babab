"""The mask holds floating-point numbers where ids should be.

What it does
------------
Reports fractions, NaN and infinities as errors, values within a thousandth of a whole number as a warning, and whole numbers that merely
have a float type as a note.

Why is this bad?
----------------
A cast to integers truncates 6.9999 to 6 and turns NaN into 0 or the lowest integer, depending on the library. Fractions are the trace of
a resize with smoothing.

How to fix
----------
Round if every value is close to a whole number. NaN must become the ignore id, never 0. If there are real fractions, go back to the
source.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG006", "float-mask", Severity.ERROR, "The mask holds floating-point numbers where ids should be.", explains_no_ids=True)


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    fractions = facts.fractions
    if fractions is None:
        if facts.dtype.startswith("float") and facts.present:
            yield rule.finding(f"Stored as {facts.dtype}, though every value is a whole number: most losses expect integers.",
                               severity=Severity.NOTE, fix="Save the ids as an unsigned integer type.")
        return
    wrong = fractions.nonfinite + fractions.fractional
    parts = [count(fractions.fractional, "fraction")] * bool(fractions.fractional) + \
            [f"{fractions.nonfinite:,} NaN or infinite"] * bool(fractions.nonfinite)
    safe = fractions.near and not fractions.nonfinite
    yield rule.finding(f"Stored as {facts.dtype} with values that are not ids: {' and '.join(parts)}.",
                       severity=Severity.WARNING if safe else Severity.ERROR, pixels=wrong, first=fractions.first,
                       evidence=(f"values lie between {fractions.low:g} and {fractions.high:g}",
                                 *(("all lie within 0.001 of a whole number",) if fractions.near else ())),
                       fix="Round the values; a plain cast would truncate them." if safe else
                           "Export this mask again from its source, without smoothing; NaN must become the ignore id.")

"""A negative number that marks ignored pixels was cut to an unsigned type.

What it does
------------
Reports one stray id beyond the classes that is a well-known sentinel modulo 256 or 65536: 156 is -100, which torch ignores by default;
241 is -9999, a common nodata value of rasters; likewise -9, -99, -999, -1000 and -32768.

Why is this bad?
----------------
The loss ignores -100 but not 156, which is out of range and kills the run, or is a class that nobody drew.

How to fix
----------
Move the id to the void label with the command of the finding, and declare that label as ignored. Then write void as 255 from the start:
unsigned label files cannot hold a negative number.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG110", "sentinel-wrap", Severity.ERROR, "A negative number that marks ignored pixels was cut to an unsigned type.",
            needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "sentinel"):
        number, ids = word.explanation.amount, tuple(label for label in word.illegal if word.explanation.table.get(label) == VOID)
        for label in ids:
            bits = 8 if label < 256 else 16 if label < 65536 else 32
            share = word.share((label,))
            yield word.finding(rule, f"{label} is a {number} that wrapped in uint{bits} ({share} of all pixels).", (label,),
                               evidence=(word.seen((label,)), f"{number} modulo {1 << bits} is {label}", *_known_for(number)))


def _known_for(number: int) -> Iterator[str]:
    where = {-100: "the ignore_index that torch assumes", -9999: "a common nodata value of rasters"}.get(number)
    if where:
        yield f"{number} is {where}"

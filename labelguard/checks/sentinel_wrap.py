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

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._unexpected_ids import judge
from labelguard.checks._wrapped_run import RunVerdict
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import percent

rule = Rule("LG110", "sentinel-wrap", Severity.ERROR, "A negative number that marks ignored pixels was cut to an unsigned type.",
            needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for verdict in judge(data, spec):
        if verdict.cause == "sentinel":
            label, = verdict.ids
            yield rule.finding(f"{label} is a {verdict.sentinel} that wrapped in uint{verdict.bits} "
                               f"({percent(data.ids[label], data.pixels)} of all pixels).", ids=verdict.ids, pixels=data.ids[label],
                               files=data.files((label,)), evidence=verdict.evidence,
                               fix=_fix(verdict, data, spec))


def _fix(verdict: RunVerdict, data: DatasetFacts, spec: LabelSpec) -> Fix:
    """The remap to the void label: the declared one, if an unsigned file holds it."""
    ignored = tuple(label for label in spec.ignore_index if label >= 0) or ((1 << verdict.bits) - 1,)
    return remap_fix(data, spec, {verdict.ids[0]: ignored[0]}, spec.num_classes, ignored)

"""A negative number that marks pixels to be ignored was cut to an unsigned type.

Looks for: one stray id beyond the classes that is a well-known sentinel modulo 256 or 65536: 156 is -100, which torch ignores unless told
otherwise, 241 is -9999, a usual nodata value of rasters; and -9, -99, -999, -1000 and -32768.

Hurts because: the loss ignores -100 and knows nothing of 156, which is out of range and kills the run, or is a class that nobody drew.

Mend it: move the id to the void label with the command that the finding gives, and declare that. Then write void as 255 from the start: no
label file of unsigned integers holds a negative number.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._remap_command import remap_fix, spec_arguments
from labelguard.checks._unexpected_ids import Verdict, judge
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import percent

rule = Rule("LG110", "sentinel-wrap", Severity.ERROR, "A negative sentinel such as -100 was cut to an unsigned type.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for verdict in judge(data, spec):
        if verdict.cause == "sentinel":
            label, = verdict.ids
            yield rule.finding(f"{label} is a {verdict.sentinel} that wrapped in uint{verdict.bits} "
                               f"({percent(data.ids[label], data.pixels)} of all pixels).", ids=verdict.ids, pixels=data.ids[label],
                               files=tuple(record.path for record in data.holding(label)), evidence=verdict.evidence,
                               fix=_fix(verdict, data, spec))


def _fix(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> Fix:
    """The remap to the void label: the declared one, if an unsigned file holds it."""
    ignored = tuple(label for label in spec.ignore_index if label >= 0) or ((1 << verdict.bits) - 1,)
    return remap_fix(data, "--merge", f"{verdict.ids[0]}:{ignored[0]}", *spec_arguments(spec.num_classes, ignored))

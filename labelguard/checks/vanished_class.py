"""A class vanished when masks were resized.

What it does
------------
Reports ids that a set held before a resize and that no mask of it holds afterwards. Only `labelguard resize` and pipelines with a resize
can see this.

Why is this bad?
----------------
A majority vote deletes what is thin. Poles, wires and lane marks one pixel wide cover less than half of any cell, and the class is never
trained at the size at which the network sees it.

How to fix
----------
Keep the class with `--keep ID:FRACTION`: a cell takes it as soon as it covers that fraction. Or resize to a larger size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Severity
from labelguard.text import count, id_ranges

rule = Rule("LG306", "vanished-class", Severity.WARNING, "A class vanished when masks were resized.", found_by="resize")


@rule.on_resize
def vanished(before: Mapping[int, int], after: Mapping[int, int]) -> Iterator[Finding]:
    gone = tuple(sorted(label for label, pixels in before.items() if pixels and not after.get(label)))
    if not gone:
        return
    pixels = sum(before[label] for label in gone)
    yield rule.finding(f"{count(len(gone), 'id')} vanished in the resize: {id_ranges(gone)}, {count(pixels, 'pixel')} before.",
                       ids=gone, pixels=pixels,
                       fix=f"Keep thin classes: --keep {gone[0]}:0.25 gives one every cell that it covers to a quarter.")

"""The foreground of a two-class set is stored as 255 instead of 1.

What it does
------------
Reports sets whose only ids are 0 and 255 (65535 in 16 bits), and sets in which some files use 0 and 1 and others 0 and 255. Sets with
more than two declared classes, or with 255 declared as ignored, are left alone.

Why is this bad?
----------------
Cross entropy stops with "Target 255 is out of bounds". Binary cross entropy runs and sinks to minus thousands. Where the loader ignores
255, the whole foreground is silently ignored: accuracy 100 %, IoU 0.

How to fix
----------
Move 255 to 1. Viewers then show the masks as black; that is how ids look.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._unexpected_ids import binary_255
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import of_files, percent

rule = Rule("LG104", "binary-255", Severity.ERROR, "The foreground of a two-class set is stored as 255 instead of 1.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    top = binary_255(data, spec)
    if top is None:
        return
    files = data.files((top,))
    evidence = [f"{top} covers {percent(data.ids[top], data.pixels)} of all pixels, {of_files(len(files), data.num_exact)}",
                "no other id is seen" if 1 not in data.files_with else "other files store the foreground as 1"]
    mostly = 2 * data.ids[top] > data.pixels
    if mostly:
        evidence.append(f"{top} covers more than half: it may be the background and not the object, a -1 that has wrapped")
    yield rule.finding(f"The foreground is stored as {top} instead of 1.", ids=(top,), pixels=data.ids[top], files=files,
                       evidence=tuple(evidence), explains=(1,),
                       fix=remap_fix(data, spec, {top: 1}, 2))

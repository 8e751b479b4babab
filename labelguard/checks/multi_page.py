"""The file holds more than one image.

What it does
------------
Reports TIFF files with several pages, and animated GIF and WebP files.

Why is this bad?
----------------
Most loaders read the first page and say nothing about the others. If pages are classes, all classes but one are lost; if they are slices,
all slices but one.

How to fix
----------
Write one file for each page, or read the stack with code that knows what its pages mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG011", "multi-page", Severity.WARNING, "The file holds more than one image.")


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.stored is not None and facts.stored.pages > 1:
        yield rule.finding(f"Holds {facts.stored.pages:,} images; only the first was checked, as most loaders read only that.",
                           fix="Write one file for each image, or make sure that the loader reads them all.")

"""The ids are stored three times, in equal color channels.

What it does
------------
Reports files with three channels that are equal in every pixel.

Why is this bad?
----------------
The target gets the shape (H, W, 3), and the loss stops with "only batches of spatial targets supported" or, worse, broadcasts. Often an
editor has saved only some files of a set this way, so it happens hours into a run.

How to fix
----------
Keep one channel. The ids themselves are intact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG004", "grey-in-rgb", Severity.ERROR, "The ids are stored three times, in equal color channels.", symptom_of=("LG002",))


@rule.seen_in_set
def among_colors(finding: Finding, data: DatasetFacts, spec: LabelSpec) -> Finding:
    """Where other masks are painted, this one may be as well, in black or grey alone."""
    if not data.painted.files:
        return finding
    from labelguard.checks._painted import way_to_ids
    others = f"{count(data.painted.files, 'other mask holds', 'other masks hold')} colors: this one may be painted too, in grey alone"
    return replace(finding, evidence=(*finding.evidence, others), fix=way_to_ids(data, spec))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.colors is not None and facts.colors.equal and facts.colors.alpha is None:
        yield rule.finding("Has several channels, all equal: a loader gets the shape (H, W, 3) instead of (H, W).",
                           pixels=facts.pixels, evidence=(f"each channel holds the ids {id_ranges(facts.present)}",),
                           fix="Keep one channel and save the file again as 8-bit grayscale.")

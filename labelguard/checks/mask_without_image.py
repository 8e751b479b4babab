"""Masks have no image with a matching name.

What it does
------------
Reports masks that the pairing rule assigns no image. The rule is derived from all names at once and printed; stems are compared whole, so
1 never stands for 10.

Why is this bad?
----------------
A loader that goes by the masks stops with "file not found". One that sorts both folders and takes them side by side does not stop: from
the first surplus mask on, every image is trained with the mask of another.

How to fix
----------
Fetch the images, or move these masks away. If the rule is wrong, name the right folders, or scan only the masks that the images belong
to.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.by_name import other_kind
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG401", "mask-without-image", Severity.ERROR, "Masks have no image with a matching name.", needs="--images")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None or not data.images.pairing.masks_without:
        return
    pairing = data.images.pairing
    lonely = pairing.masks_without
    paired = {mask for mask, _ in (*pairing.pairs, *pairing.ambiguous)} | {mask for _, masks in pairing.several for mask in masks}
    total = len(lonely) + len(paired)
    evidence = [f"Rule: {pairing.rule}."]
    kind = other_kind(lonely, (mask for mask, _ in pairing.pairs)) if pairing.pairs else None
    if kind is not None:
        evidence.append(f"{kind[1]:,} of them {'ends' if kind[1] == 1 else 'end'} with {kind[0]}, as no paired mask does: "
                        "they may be masks of another kind.")
    yield rule.finding(f"{len(lonely):,} of {count(total, 'mask')} {'has' if len(lonely) == 1 else 'have'} no image in "
                       f"'{data.images.root}'.", files=lonely, evidence=tuple(evidence),
                       fix="Fetch the missing images, or move these masks away before a loader lists them.")

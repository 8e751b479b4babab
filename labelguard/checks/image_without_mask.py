"""Images have no mask with a matching name.

What it does
------------
Reports images that the pairing rule assigns no mask. Further channels of one picture (_0001, _0002 beside _0000) count as one image.
Images that several masks match are ambiguous (LG403) instead.

Why is this bad?
----------------
A loader that goes by the images stops with "file not found", or takes the mask of the next image if it pairs sorted lists. Images that
are meant to have no label are fine, as long as the loader never lists them.

How to fix
----------
Fetch or draw the masks, or move these images to a folder of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.by_name import other_kind
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG402", "image-without-mask", Severity.WARNING, "Images have no mask with a matching name.", needs="--images")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None or not data.images.pairing.images_without:
        return
    pairing = data.images.pairing
    lonely = pairing.images_without
    evidence = [f"Rule: {pairing.rule}."]
    kind = other_kind(lonely, (image for _, image in pairing.pairs)) if pairing.pairs else None
    if kind is not None:
        evidence.append(f"{kind[1]:,} of them {'ends' if kind[1] == 1 else 'end'} with {kind[0]}, as no paired image does: "
                        "they may be further channels of those.")
    yield rule.finding(f"{count(len(lonely), 'image')} in '{data.images.root}' {'has' if len(lonely) == 1 else 'have'} no mask.",
                       files=lonely, subject="image", evidence=tuple(evidence),
                       fix="Fetch or draw their masks, or move these images out of the folder that the loader lists.")

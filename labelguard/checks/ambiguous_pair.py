"""A mask could belong to several images, or an image to several masks.

What it does
------------
Reports names that the pairing rule cannot tell apart: a.jpg and a.png for the mask a.png, or the masks a.png and a.tif for one image.
Names that differ only in case are told apart if the same spelling occurs on both sides.

Why is this bad?
----------------
Which file a loader takes depends on the order in which the file system lists them, so two machines train on two different sets. Loaders
that look for exactly one file stop.

How to fix
----------
Keep one file of each name.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG403", "ambiguous-pair", Severity.ERROR,
            "A mask could belong to several images, or an image to several masks.", needs="--images")

_MOST = 8


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None or not data.images.pairing.ambiguous:
        return
    unclear = data.images.pairing.ambiguous
    evidence = [f"{mask}: {listed(images, 4)}" for mask, images in unclear[:_MOST]]
    if len(unclear) > _MOST:
        evidence.append(f"and {count(len(unclear) - _MOST, 'more mask')}")
    yield rule.finding(f"{count(len(unclear), 'mask')} cannot be paired: several images, or several masks, have the same name.",
                       files=tuple(mask for mask, _ in unclear), evidence=tuple(evidence),
                       fix="Keep one image and one mask of each name; move the others away.")

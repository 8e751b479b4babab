"""A mask could belong to several images, or an image to several masks.

What it does
------------
Reports names that the pairing rule cannot tell apart: a.jpg and a.png for the mask a.png, or the masks a.png and a.tif for one image.
Names that differ only in case are told apart if the same spelling occurs on both sides. Also reports several masks of one image: numbered
ones (a_0.png to a_4.png for a.jpg), all in a folder of its name, and copies beside the mask (a_old.png beside a.png).

Why is this bad?
----------------
Which file a loader takes depends on the order in which the file system lists them, so two machines train on two different sets. Loaders
that look for exactly one file stop.

How to fix
----------
Keep one file of each name. Where an image has several masks on purpose, one for each object or annotator, merge them into one, or let the
loader group them by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.by_name import Pairing
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG403", "ambiguous-pair", Severity.ERROR,
            "A mask could belong to several images, or an image to several masks.", needs="--images")

_MOST = 8


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    pairing = data.images.pairing
    if pairing.ambiguous:
        yield _unclear(pairing.ambiguous)
    if pairing.several:
        yield _several(pairing)


def _unclear(unclear: Sequence[tuple[str, tuple[str, ...]]]) -> Finding:
    evidence = [f"{mask}: {listed(images, 4)}" for mask, images in unclear[:_MOST]]
    if len(unclear) > _MOST:
        evidence.append(f"and {count(len(unclear) - _MOST, 'more mask')}")
    return rule.finding(f"{count(len(unclear), 'mask')} cannot be paired: several images, or several masks, have the same name.",
                        files=tuple(mask for mask, _ in unclear), evidence=tuple(evidence),
                        fix="Keep one image and one mask of each name; move the others away.")


def _several(pairing: Pairing) -> Finding:
    paired = {mask for mask, _ in pairing.pairs}
    others = tuple(mask for _, masks in pairing.several for mask in masks if mask not in paired)
    evidence = [f"{image}: {listed(masks, 4)}" for image, masks in pairing.several[:_MOST]]
    if len(pairing.several) > _MOST:
        evidence.append(f"and {count(len(pairing.several) - _MOST, 'more image')}")
    most = max(len(masks) for _, masks in pairing.several)
    own = "of its own" if len(others) == 1 else "of their own"
    return rule.finding(f"{count(len(pairing.several), 'image has', 'images have')} several masks, up to {most}: "
                        f"{count(len(others), 'mask is', 'masks are')} left without an image {own}.",
                        files=others, evidence=tuple(evidence),
                        fix="If they show the objects of one image, or come from several annotators, merge them into one mask, or let the "
                            "loader group them by name. If they are copies, move all but one away.")

"""Random crops of the given size hold no valid pixel, or mostly no foreground.

What it does
------------
Counts the positions of a `--crop` at which every pixel is ignored, in masks that have valid pixels: a warning if 1 % of all crops are
such, a note if one comes up in 100 epochs. Also notes masks with a foreground of which most crops show nothing. Every position is
counted, all are equally likely, and nothing is padded.

Why is this bad?
----------------
A crop without a valid pixel teaches nothing; as a batch of its own it turns cross entropy into 0/0. Crops without foreground make rare
classes rarer than the masks suggest, and Dice without smoothing is 0/0 on them.

How to fix
----------
Draw another crop if one shows nothing, or place crops by their content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.batch_odds import EPOCHS, crops_of, how_often
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import listed, percent

rule = Rule("LG209", "blind-crop", Severity.WARNING, "Random crops of the given size hold no valid pixel, or mostly no foreground.",
            needs="--crop")

_MANY = 0.01
_MOST = 0.5
_MOST_FILES = 5


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    crops = crops_of(data)
    if crops is None:
        return
    size = f"{crops.size[0]} x {crops.size[1]}"
    partly = {path: share for path, share in crops.blind.items() if share < 1}
    if EPOCHS * sum(partly.values()) >= 1:
        blind = sum(partly.values())
        share = blind / len(partly)
        yield rule.finding(f"{percent(share, 1)} of random crops of {size} hold nothing but ignored pixels, though their masks hold "
                           "valid ones.",
                           severity=Severity.WARNING if share >= _MANY else Severity.NOTE, files=_concerned(partly),
                           evidence=(f"worst: {_worst(partly)}", f"with one crop of each mask per epoch, one comes up {how_often(blind)}"),
                           fix="Draw another crop where one holds no valid pixel, or divide by at least 1 in the loss.")
    fore = {path: share for path, share in crops.empty.items() if share < 1}
    if fore and sum(fore.values()) >= _MOST * len(fore):
        share = sum(fore.values()) / len(fore)
        yield rule.finding(f"{percent(share, 1)} of random crops of {size} show no foreground, though their masks have some.",
                           severity=Severity.NOTE, files=_concerned(fore), evidence=(f"worst: {_worst(fore)}",),
                           fix="Use larger crops, or place some of them on the foreground.")


def _concerned(shares: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(path for path, share in shares.items() if share))


def _worst(shares: dict[str, float]) -> str:
    ranked: Iterable[str] = sorted(shares, key=lambda path: (-shares[path], path))[:_MOST_FILES]
    return listed((f"{path} ({percent(shares[path], 1)})" for path in ranked if shares[path]), _MOST_FILES)

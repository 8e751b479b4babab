"""A class that occurs in other splits has no pixel in this one.

What it does
------------
Reports classes that the masks of one split hold and no mask of another does, weighed by the number of files: if the splits were drawn at
random, how likely would this be? It is a warning if that is very unlikely, or if a training split of 20 files or more lacks a class; a
note if so few files would often hold none. Classes that no split holds are LG204.

Why is this bad?
----------------
A class missing from training is never learned, and each of its pixels elsewhere counts as an error. In validation its IoU is 0/0:
libraries leave it out, or count it as 0 or as NaN, so the means of two runs cannot be compared.

How to fix
----------
Split again so that each part has some, by place or patient where neighbors look alike; or leave the class out of the metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labelguard.checks.rule import Rule
from labelguard.facts.odds import chance_of_none
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG206", "missing-from-split", Severity.WARNING,
            "A class that occurs in other splits has no pixel in this one.", needs="splits",
            symptom_of=("LG102", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG110", "LG111", "LG112", "LG113", "LG205"))

_UNLIKELY = 0.01  # chance that random splits lack any of the classes that they could lack
_ENOUGH_FILES = 20  # in a part that trains; fewer are a sample
_MOST = 8


@rule.on_splits
def check(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    splits = [split for split in splits if split.data.num_exact]
    held = {label for split in splits for label in split.data.files_with if label in split.classes}
    for split in splits:
        missing = sorted(held - set(split.data.files_with))
        chances = {label: _chance(split, splits, label) for label in missing}
        sure = [label for label in missing if _trains(split) or chances[label] * len(held) < _UNLIKELY]
        for labels, severity in ((sure, Severity.WARNING), ([label for label in missing if label not in sure], Severity.NOTE)):
            if labels:
                yield _finding(split, [other for other in splits if other is not split], labels, chances, severity, spec)


def _trains(split: SplitFacts) -> bool:
    return split.name.lower().startswith("train") and split.data.num_exact >= _ENOUGH_FILES


def _chance(split: SplitFacts, splits: Sequence[SplitFacts], label: int) -> float:
    holding = sum(each.data.files_with.get(label, 0) for each in splits)
    return chance_of_none(sum(each.data.num_exact for each in splits), holding, split.data.num_exact)


def _finding(split: SplitFacts, others: Sequence[SplitFacts], labels: list[int], chances: dict[int, float], severity: Severity,
             spec: LabelSpec) -> Finding:
    number = split.data.num_exact
    files = [path for other in others for path in other.named(other.data.files(labels))]
    expected = ": with so few files, or so rare a class, this is to be expected" if severity is Severity.NOTE else ""
    ranked = sorted(labels, key=lambda label: (chances[label], label))
    evidence = [f"{spec.name_of(label)}: {_where(others, label)}; the chance that {count(number, 'file')} drawn at random "
                f"{'holds' if number == 1 else 'hold'} none is {_odds(chances[label])}"
                for label in ranked[:_MOST]]
    if len(ranked) > _MOST:
        evidence.append(f"and {count(len(ranked) - _MOST, 'more class', 'more classes')}")
    return rule.finding(f"{count(len(labels), 'class has', 'classes have')} no pixel in {split.name} ({count(number, 'file')}), but "
                        f"{'it is' if len(labels) == 1 else 'they are'} in {_holders(others, labels)}: "
                        f"{listed((spec.name_of(label) for label in labels), 12)}{expected}.",
                        severity=severity, ids=tuple(labels), pixels=0, files=tuple(sorted(files)), evidence=tuple(evidence),
                        split=split.name, fix="Split again so that each part has some, or leave the class out of the metrics.")


def _holders(others: Sequence[SplitFacts], labels: list[int]) -> str:
    return listed(other.name for other in others if not set(labels).isdisjoint(other.data.files_with))


def _where(others: Sequence[SplitFacts], label: int) -> str:
    parts = []
    for other in others:
        if label in other.data.files_with:
            pixels = count(other.data.pixels_of([label]), "pixel")
            files = count(other.data.num_exact, "file")
            parts.append(f"{pixels} in {other.data.files_with[label]:,} of {files} of {other.name}")
    return listed(parts)


def _odds(chance: float) -> str:
    return "nil" if chance == 0 else percent(chance, 1).replace("<", "below")

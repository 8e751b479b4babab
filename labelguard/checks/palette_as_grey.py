"""The ids are luminances of palette colors.

What it does
------------
Reports ids that are all luminances of one known palette (the declared colors, Pascal VOC, Cityscapes, ADE20K, CamVid), as computed by
Pillow or OpenCV, such as 0, 15, 38, 75, 113 and 220, or all numbers of one of its three channels. Palette files were read as grayscale. It
is weighed against everything else that leaves such ids.

Why is this bad?
----------------
Most ids are out of range. Two colors may have the same luminance, as classes 1 and 16 of Pascal VOC do, and are then one class.

How to fix
----------
Read the indexed originals as indices (`Image.open` without `convert`), which loses nothing. If no two classes share a luminance, the
table in the finding restores the ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges, listed

rule = Rule("LG107", "palette-as-grey", Severity.ERROR, "The ids are luminances of palette colors.", needs_facts=("erosion",))

_MOST_SHOWN = 6


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "palette"):
        words, ids = word.explanation.words, tuple(filter(None, word.part.ids))
        fix = None
        if word.explanation.mixed:
            fix = ("Read the indexed originals as indices, without convert('L') and without OpenCV; no table can restore "
                   f"{id_ranges(sorted(word.explanation.mixed))}.")
        yield word.finding(rule, f"{words[0].upper()}{words[1:]}: palette files were read as grayscale.", ids, files=word.files(), fix=fix,
                           evidence=(listed(_pairs(word), _MOST_SHOWN), word.seen(ids), *word.explanation.evidence),
                           explains=(*word.part.ids, *range(spec.num_classes or 0)))


def _pairs(word: Word) -> Iterator[str]:
    for label, there in sorted(word.explanation.table.items()):
        if label not in word.explanation.mixed and label not in word.spec.ignore_index:
            yield f"{label} is {'void' if there == VOID else word.spec.name_of(there)}"

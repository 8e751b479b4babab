"""The mask numbers objects instead of classes.

What it does
------------
Reports ids that combine class and object, such as 26003 for class 26 and object 3 (1000, 256 or 65536 ids per class), also where they were
cut to 8 bits. Also reports ids that run from 1 without a gap in nearly every file, up to a different number in each. Both are weighed
against everything else that leaves such ids, and not reported where the ids are declared to be instances (`--instances`).

Why is this bad?
----------------
Ids in the thousands are out of range, and an embedding or one-hot encoding of that size ends in an out-of-memory error. Object numbers
mean nothing as classes: object 3 is a car here and a cell there.

How to fix
----------
If the class is part of the id, the command of the finding extracts it. Plain object numbers carry no class: fetch the semantic masks, or
the list that gives the class of each object. If there is only one kind of object, everything above 0 is class 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.numbered_ids import highest_number
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import of_files

rule = Rule("LG111", "instance-ids", Severity.ERROR, "The mask numbers objects instead of classes.", of_classes=True,
            needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "instances"):
        words = word.explanation.words
        fix = "Export the masks again, without cutting them: several objects have one id now." if word.explanation.mixed else None
        yield _found(word, f"{words[0].upper()}{words[1:]}.", *word.explanation.evidence, fix=fix)
    for word in said(data, spec, "numbered"):
        numbers = [(number, files) for ids, files in word.part.sets if (number := highest_number(ids))]
        highest = max((label for label in word.part.ids if label not in (*TOPS, *spec.ignore_index)), default=0)
        runs = sum(files for _, files in numbers)
        ends = len({number for number, _ in numbers})
        yield _found(word, f"The ids are object numbers, up to {highest} in one file, not classes.",
                     f"they run from 1 without a gap {of_files(runs, word.part.num_files)}, "
                     + (f"and end at {ends} different numbers" if ends > 1 else f"and end at {numbers[0][0]}") if numbers else
                     "they run from 1 on, with few gaps",
                     fix="Fetch the semantic masks, or look up the class of each object. If there is one kind of object, all above 0 is "
                         "class 1.")


def _found(word: Word, message: str, *evidence: str, fix: Fix | str | None = None) -> Finding:
    return word.finding(rule, message, word.illegal, files=word.files(), fix=fix, evidence=(word.seen(word.illegal), *evidence),
                        explains=(*word.part.ids, *range(word.spec.num_classes or 0)),
                        most=Severity.ERROR if word.spec.declared else Severity.WARNING)

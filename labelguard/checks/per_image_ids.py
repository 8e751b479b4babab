"""Ids seem to be assigned anew in each image.

What it does
------------
Words the verdict that the classes of each file were numbered anew: the ids run from 1 to n without a gap, with different n, as ids hardly
do that mean the same everywhere, since these leave gaps wherever a class is absent. It is weighed against classes that come one after the
other, such as organs along the body and nested grades: there an id tells how large it is, or where. Always a warning, since no id is
wrong.

Why is this bad?
----------------
No id is out of range and nothing fails, but 1 is a pea in one image and a dog in the next. The network learns an average.

How to fix
----------
The masks do not say which class is which. Export them again from the annotations, with one list of names for all files: the labelme
script that converts single files numbers the names of each file separately.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import said
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.numbered_ids import highest_number
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG112", "per-image-ids", Severity.WARNING, "Ids seem to be assigned anew in each image.",
            of_classes=True, needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "afresh"):
        ends = [(number, files) for ids, files in word.part.sets if (number := highest_number(ids))]
        highest = max(ends, default=(len(word.part.ids), 0))[0]
        runs, lower = sum(files for _, files in ends), sum(files for number, files in ends if number < highest)
        yield word.finding(rule, f"The ids run from 1 without a gap in {runs:,} of {count(word.part.num_files, 'file')}, up to different "
                                 "ends: they seem to be assigned anew in each image.",
                           tuple(range(1, highest + 1)), files=word.files(), most=Severity.WARNING,
                           evidence=(f"{lower:,} files hold fewer than {highest} ids, and skip none of them",
                                     "ids that mean the same in all files leave gaps where a class is absent"),
                           fix="Compare two files that hold the same things. If their ids differ, export the masks again from the "
                               "annotations with one list of names; the masks alone do not tell how to repair them.")

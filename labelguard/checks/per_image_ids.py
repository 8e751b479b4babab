"""Ids seem to be assigned anew in each image.

What it does
------------
Reports sets in which the ids of nearly every file run from 1 to n without a gap, with different n. Ids that mean the same everywhere
leave gaps wherever a class is absent. Nested grades have no gaps either, and are left alone.

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

from labelguard.checks._objects import counted, numbered_objects
from labelguard.checks._weighed import said
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG112", "per-image-ids", Severity.WARNING, "Ids seem to be assigned anew in each image.",
            of_classes=True, symptom_of=("LG111", "LG301"))

_ENOUGH_FILES = 10
_MOST_IDS = 64
_WITHOUT_GAPS = 0.98  # share of the files
_WELL_BELOW = 3       # files that lack more than the last id, which may just be rare


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    found, files = counted(data, spec)
    numbers = [objects.number for objects in found]
    highest = max(numbers, default=0)
    if highest > _MOST_IDS or len(found) < _WITHOUT_GAPS * files:
        return
    lower = [number for number in numbers if number < highest]
    if len(lower) < _ENOUGH_FILES or sum(number < highest - 1 for number in lower) < _WELL_BELOW:
        return
    several = [objects for objects in found if objects.number > 1]
    if 2 * sum(objects.nested for objects in several) >= len(several) or numbered_objects(data, spec) or any(
            said(data, spec, "factor", "levels", "stretched", "palette")):
        return
    ids = tuple(range(1, highest + 1))
    yield rule.finding(f"The ids run from 1 without a gap in {len(found):,} of {count(files, 'file')}, up to different ends: they "
                       "seem to be assigned anew in each image.", ids=ids, files=data.files(),
                       evidence=(f"{len(lower):,} files hold fewer than {highest} ids, yet none of them skips one",
                                 "ids that mean the same in all files leave gaps where a class is absent"),
                       fix="Compare two files that hold the same things. If their ids differ, export the masks again from the annotations "
                           "with one list of names; the masks alone do not tell how to repair them.")

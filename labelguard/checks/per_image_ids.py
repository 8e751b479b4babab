"""Ids seem to be assigned anew in each image.

What it does
------------
Reports sets in which the ids of nearly every file run from 1 to n without a gap, with different n. Ids that mean the same everywhere
leave gaps wherever a class is absent. Nested grades have no gaps either, and are left alone; so are sets in which the id tells how large
its areas are, such as organs that come up one after the other along the body: these are classes.

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

import numpy as np

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
_LEAST_IDS, _MOST_IDS = 4, 64  # classes of which each comes only with the one before are common where they are fewer
_WITHOUT_GAPS = 0.98  # share of the files
_WELL_BELOW = 3       # files that lack more than the last id, which may just be rare
# Bits by which an id tells in which quarter of all sizes it is: in drawn scenes that were numbered anew 0.3 at most, in organs 0.35 to 1.2.
_TELLS_SIZE = 0.32


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    found, files = counted(data, spec)
    numbers = [objects.number for objects in found]
    highest = max(numbers, default=0)
    if not _LEAST_IDS <= highest <= _MOST_IDS or len(found) < _WITHOUT_GAPS * files:
        return
    lower = [number for number in numbers if number < highest]
    if len(lower) < _ENOUGH_FILES or sum(number < highest - 1 for number in lower) < _WELL_BELOW:
        return
    several = [objects for objects in found if objects.number > 1]
    if 2 * sum(objects.nested for objects in several) >= len(several) or numbered_objects(data, spec) or any(
            said(data, spec, "factor", "levels", "stretched", "palette")) or _told_of_sizes(data, highest) >= _TELLS_SIZE:
        return
    ids = tuple(range(1, highest + 1))
    yield rule.finding(f"The ids run from 1 without a gap in {len(found):,} of {count(files, 'file')}, up to different ends: they "
                       "seem to be assigned anew in each image.", ids=ids, files=data.files(),
                       evidence=(f"{len(lower):,} files hold fewer than {highest} ids, yet none of them skips one",
                                 "ids that mean the same in all files leave gaps where a class is absent",
                                 "an id does not tell how large its areas are, as classes mostly do"),
                       fix="Compare two files that hold the same things. If their ids differ, export the masks again from the annotations "
                           "with one list of names; the masks alone do not tell how to repair them.")


def _told_of_sizes(data: DatasetFacts, highest: int) -> float:
    """The bits that an id tells of its share of the mask: the mutual information with the quarter of all shares that it is in.

    Chance is subtracted (Miller 1955, "Note on the bias of information estimates").
    """
    seen = [(label, pixels / (record.shape[0] * record.shape[1])) for record in data.select()
            for label, pixels in zip(record.ids, record.num_pixels, strict=True) if 0 < label <= highest]
    ids, shares = np.array([label for label, _ in seen]), np.array([share for _, share in seen])
    quarters = np.searchsorted(np.quantile(shares, (0.25, 0.5, 0.75)), shares)
    table = np.zeros((highest, 4))
    np.add.at(table, (ids - 1, quarters), 1 / len(seen))
    alone = np.outer(table.sum(axis=1), table.sum(axis=0))
    there = table > 0
    chance = (len({*ids.tolist()}) - 1) * (len({*quarters.tolist()}) - 1) / (2 * len(seen) * np.log(2))
    return float((table[there] * np.log2(table[there] / alone[there])).sum() - chance)

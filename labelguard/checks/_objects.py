"""Are the ids object numbers? Shared by the checks for instance ids and for ids assigned anew in each image."""

from __future__ import annotations

from labelguard.facts.dataset import DatasetFacts, once
from labelguard.facts.numbered_ids import NumberedIds
from labelguard.facts.record import Ids
from labelguard.spec.labelspec import LabelSpec

_SOME, _MANY = 6, 20
_FILES_WITHOUT_GAPS = 0.95  # shares, of the files, and of the ids below
_FILES_IN_ORDER = 0.9
_COMPACT_IN_ORDER, _COMPACT = 0.75, 0.9
_UNORDERED = 2  # ids of a file that are in order by chance too often


@once
def counted(data: DatasetFacts, spec: LabelSpec) -> tuple[list[NumberedIds], int]:
    """The object numbers of the files whose ids run from 1 without a gap, and how many files hold more than background and void."""
    nothing = frozenset((0, 255, 65535, *spec.ignore_index))

    def foreground(ids: Ids) -> bool:
        return not nothing.issuperset(ids)
    return [record.objects for record in data.select(foreground) if record.objects is not None], data.count_of(foreground)


@once
def numbered_objects(data: DatasetFacts, spec: LabelSpec) -> bool:
    """Whether ids number the objects of each file: no gaps, a different end in each file, every id one compact object.

    If classes are declared, the numbers have to exceed them; if not, they have to reach twenty.
    """
    found, files = counted(data, spec)
    numbers = [objects.number for objects in found]
    if len(found) < _FILES_WITHOUT_GAPS * files or len(set(numbers)) < 3:
        return False
    if max(numbers) < (_MANY if spec.num_classes is None else max(_SOME, spec.num_classes + 2)):
        return False
    several = [objects for objects in found if objects.number > _UNORDERED]
    in_order = sum(objects.in_order for objects in several) >= _FILES_IN_ORDER * len(several)
    return sum(objects.compact for objects in found) >= (_COMPACT_IN_ORDER if in_order else _COMPACT) * sum(numbers)

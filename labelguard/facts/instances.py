"""InstanceSet: the masks whose ids may be instances, and the boxes that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.mask_facts import MaskFacts
from labelguard.facts.record import FileRecord
from labelguard.spec.labelspec import LabelSpec

_CODED = 1000          # Cityscapes: class * 1000 + number of the instance


# Boxes that follow from masks ---------------------------------------------------------------------------------------------------------


class Thin(NamedTuple):
    """An id whose bounding box is one pixel wide or high."""

    label: int
    height: int
    width: int
    pixels: int
    first: tuple[int, int]


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """Masks whose ids may be instances.

    Parameters
    ----------
    declared
        Whether the user says that the masks are instance maps.
    wide
        Names of the masks of more than 8 bits, of all masks where instances are declared.
    thin
        For each of them the ids with a thin box, where there are any.
    """

    declared: bool = False
    wide: frozenset[str] = frozenset()
    thin: Mapping[str, tuple[Thin, ...]] = field(default_factory=FrozenDict)

    def ids(self, records: Iterable[FileRecord], spec: LabelSpec) -> frozenset[int]:
        """The ids that stand for instances: none where the masks are not instance maps.

        Declared, these are all but background and ignored ids; not declared, those beyond the classes (beyond 255 where there is no
        class count), if most of them are numbered in a row. Where ids are coded as class * 1000 + number, smaller ones are classes.
        """
        if not self.wide:
            return frozenset()
        present = {label for record in records if record.path in self.wide for label in record.ids} - {0, *spec.ignore_index}
        coded = any(label >= _CODED for label in present) and not any(256 <= label < _CODED for label in present)
        if coded:
            present = {label for label in present if label >= _CODED}
        if self.declared:
            return frozenset(present)
        top = spec.last if spec.declared else 255
        beyond = {label for label in present if label > top}
        in_a_row = sum(label - 1 in beyond or label + 1 in beyond for label in beyond)
        return frozenset(beyond) if len(beyond) > 2 and 2 * in_a_row > len(beyond) else frozenset()


def may_hold_instances(facts: MaskFacts, declared: bool) -> bool:
    """Whether the ids of a mask may be instances: exact ids of more than 8 bits, or any where instances are declared."""
    return (declared or facts.dtype not in ("uint8", "bool", "int8")) and facts.exact


def thin_boxes(facts: MaskFacts) -> tuple[Thin, ...]:
    """The ids of a mask whose bounding box is one pixel wide or high."""
    sides = facts.bboxes[:, 2:] - facts.bboxes[:, :2]
    at = (sides.min(axis=1) == 1).nonzero()[0]
    return tuple(Thin(label, height, width, number, (row, column)) for label, (height, width), number, (row, column) in zip(
        facts.ids[at].tolist(), sides[at].tolist(), facts.num_pixels[at].tolist(), facts.first_pixels[at].tolist(), strict=True))

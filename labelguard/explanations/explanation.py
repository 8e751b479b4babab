"""Explanation: one thing that may have happened to the ids of some files, as data; Case: what it may depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from labelguard.explanations.part import Part
from labelguard.facts.record import Ids
from labelguard.spec.labelspec import LabelSpec

VOID, UNKNOWN = -1, -2  # what a stored id may be instead of a class
TOPS = (255, 65535, 2 ** 32 - 1)  # the highest id of each unsigned type

CauseName = Literal["as declared", "shift", "up", "void first", "minus one", "more classes", "sentinel", "void", "void moved",
                    "zero reduced", "reduced twice", "binary", "factor", "levels", "inverted", "in order", "palette", "space", "instances",
                    "numbered", "stretched"]


@dataclass(frozen=True, eq=False)
class Explanation:
    """What may have happened to the ids of some files.

    Parameters
    ----------
    cause, words
        What it is called, and what happened, as the end of a sentence that begins with "Perhaps".
    bits
        How much it takes to name it: minus log2 of its probability before anything is seen, all its numbers included.
    table
        For each stored id the class that it was, or `VOID`. Ids that are not in it are unknown.
    num_classes
        The number of classes that there are.
    amount
        By how much, where that is a number: of a shift, of a factor.
    mixed
        Stored ids that stand for several classes or for a class and void: nothing can part them.
    lost
        The number of classes of which no file can show anything.
    repairable
        Whether its table may be trusted to mend: not where the order of classes is an assumption.
    pipeline
        The ready-made pipeline that does what its table does; empty where there is none.
    own_bits
        What it takes to tell the ids of the files where each file has a numbering of its own; None where ids mean the same in all.
    apart
        Whether its files show other scenes than the rest, in which classes are as common and as large as they are.
    """

    cause: CauseName
    words: str
    bits: float
    table: Mapping[int, int]
    num_classes: int
    amount: int = 0
    mixed: frozenset[int] = frozenset()
    lost: int = 0
    repairable: bool = True
    pipeline: str = ""
    own_bits: float | None = None
    apart: bool = False

    @property
    def name(self) -> tuple[CauseName, int]:
        """What tells its cause from others; two explanations of one name are one cause."""
        return self.cause, self.amount


@dataclass(frozen=True, eq=False)
class Case:
    """What explanations of some files may depend on.

    Parameters
    ----------
    part
        The files.
    spec
        What is declared.
    """

    part: Part
    spec: LabelSpec

    @property
    def ids(self) -> Ids:
        """The ids of the files, ascending."""
        return self.part.ids

    @property
    def plain(self) -> Ids:
        """Those of them that are not declared to be ignored."""
        return tuple(label for label in self.ids if label not in self.spec.ignore_index)

    @property
    def illegal(self) -> Ids:
        """Those of them that no declaration covers; where no classes are declared, those that hardly can be one."""
        if self.spec.declared:
            return tuple(label for label in self.ids if not self.spec.is_legal(label))
        return tuple(label for label in self.plain if label < 0 or label >= len(self.ids))

    def moved(self, by: int = 0, special: Mapping[int, int] | None = None, num_classes: int | None = None) -> tuple[dict[int, int], int]:
        """The table by which every id was `by` higher, and the number of classes: as given, as declared, else as many as there are.

        `special` names ids that were something else; ignored ids are void, and what would be no class is unknown.
        """
        ignored, other = self.spec.ignore_index, special or {}
        table = {label: other.get(label, VOID if label in ignored else label + by if label >= max(0, -by) else UNKNOWN)
                 for label in self.ids}
        number = num_classes or self.spec.num_classes or max(table.values(), default=0) + 1
        return {label: there for label, there in table.items() if UNKNOWN < there < number}, max(number, 1)


Family = Callable[[Case], Iterator[Explanation]]

"""Explanation: one thing that may have happened to the ids of some files, as data; Case: what it may depend on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from labelguard.explanations.part import Part
from labelguard.explanations.priors import prior
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.record import Ids
from labelguard.spec.labelspec import LabelSpec

VOID, UNKNOWN = -1, -2  # what a stored id may be instead of a class
Column = int | frozenset[int]  # a class, or several that have one id
_MOSTLY = 0.5  # share of the pixels

CauseName = Literal["as declared", "shift", "up", "void first", "minus one", "more classes", "sentinel", "void", "void moved",
                    "zero reduced", "reduced twice", "filled", "clipped", "repeated", "binary", "factor", "levels", "inverted",
                    "in order", "palette", "space", "instances", "numbered", "afresh", "stretched"]


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
    evidence
        What else is to be said for it, one line each.
    pipeline
        The ready-made pipeline that does what its table does; empty where there is none.
    own_bits
        What it takes to tell the ids of the files where each file has a numbering of its own; None where ids mean the same in all.
    in_steps
        What it takes to tell which classes stand in which files where each comes only with those before it; None where each is told alone.
    alike
        Whether all numbers of objects are of one size, whatever the number.
    apart
        Whether its files show other scenes than the rest, in which classes are as common and as large as they are.
    together
        Classes that have one id, whether it is seen or not: nobody can know which of them a file holds, and nothing is told of it.
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
    evidence: tuple[str, ...] = ()
    pipeline: str = ""
    own_bits: float | None = None
    in_steps: float | None = None
    alike: bool = False
    apart: bool = False
    together: tuple[frozenset[int], ...] = ()

    @property
    def by_columns(self) -> bool:
        """Whether it is told class by class in which files each stands."""
        return self.own_bits is None and self.in_steps is None

    @cached_property
    def columns(self) -> Mapping[int, Column]:
        """The classes that have an id in common, each with all of these."""
        return {label: several for several in self.together for label in several}

    @property
    def name(self) -> tuple[CauseName, int]:
        """What tells its cause from others; two explanations of one name are one cause."""
        return self.cause, self.amount


class CodedIds(NamedTuple):
    """Ids that are codes of something, and the void labels beside them; one that nobody declared, and what it takes to say so."""

    codes: Ids
    voids: dict[int, int]
    undeclared: int | None = None
    bits: float = 0.0
    words: str = ""

    @property
    def telling(self) -> bool:
        """Whether there are enough codes to tell anything: one alone besides 0 is a multiple of something, and a color of some palette."""
        return sum(code > 0 for code in self.codes) > 1 and self.codes[0] >= 0


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

    @cached_property
    def plain(self) -> Ids:
        """Those of them that are not declared to be ignored."""
        return tuple(label for label in self.ids if label not in self.spec.ignore_index)

    @cached_property
    def illegal(self) -> Ids:
        """Those of them that no declaration covers; where no classes are declared, those that hardly can be one."""
        if self.spec.declared:
            return tuple(label for label in self.ids if not self.spec.is_legal(label))
        return tuple(label for label in self.plain if label < 0 or label >= len(self.ids))

    @cached_property
    def coded(self) -> tuple[CodedIds, ...]:
        """The ids with the void labels that are declared; and with one at the top of a type besides, which nobody declared."""
        voids = {label: VOID for label in self.ids if label in self.spec.ignore_index}
        found = [CodedIds(self.plain, voids)]
        for top in TOPS[:2]:
            if top in self.illegal:
                bits = prior("void undeclared" if self.spec.declared else "void unsaid")
                words = f", and {top} is a void label that is not declared"
                found.append(CodedIds(tuple(label for label in self.plain if label != top), voids | {top: VOID}, top,
                                     bits, words))
        return tuple(found)

    def mostly(self, labels: Collection[int]) -> bool:
        """Whether some ids cover most of the pixels."""
        shares = dict(zip(self.part.seen.ids, self.part.area_shares.tolist(), strict=True))
        return bool(sum(shares.get(label, 0.0) for label in labels) > _MOSTLY)

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

"""A table from one public numbering to another was applied to what it had already made."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.priors import prior
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec

_FEWEST = 2  # classes that are seen: fewer are left over for many reasons


def families(case: Case) -> Iterator[Explanation]:
    """Every official table to as many classes as are declared, twice."""
    void = case.spec.ignore_index[:1]
    if void and not case.illegal:
        for words, left, lost in tables(case.plain, case.spec):
            yield Explanation("repeated", words, prior("repeated"), *case.moved(0, left | dict.fromkeys(void, VOID)),
                              mixed=frozenset(void), lost=lost)


def tables(ids: Collection[int], spec: LabelSpec) -> Iterator[tuple[str, dict[int, int], int]]:
    """For each official table that leaves just such ids when it is applied twice: words, what each of them was, and how many are lost."""
    if not _FEWEST <= len(ids) < (spec.num_classes or 0) / 2:
        return  # twice over, most classes are gone
    for space in spaces():
        for name, table in space.to.items():
            number = next(each for each in spaces() if each.name == name).spec.num_classes
            classes = {there for there in table.values() if there is not None}
            left = {again: label for label in sorted(classes) if (again := table.get(label)) is not None}
            if number == spec.num_classes and {*ids} <= {*left} and len(left) < len(classes):
                yield f"the table from {space.title} was applied twice", left, len(classes) - len(left)

"""The ids follow another public numbering than the declared one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import comb, log2

from labelguard.explanations.explanation import VOID, Case, Explanation
from labelguard.explanations.plain import sentinels
from labelguard.explanations.priors import prior
from labelguard.facts.record import Ids
from labelguard.spec.label_spaces import Space, spaces
from labelguard.text import id_ranges

_SOME = 3  # ids, below which any numbering fits


def families(case: Case) -> Iterator[Explanation]:
    """Every public numbering that explains what the declared one does not."""
    if case.spec.declared and case.illegal and len(case.plain) >= _SOME:
        yield from _official(case)
        yield from _selected(case)
        rivals = [*_wrong_preset(case), *_other(case)]
        yield from rivals
        yield from _fewer(case) if rivals else ()


def official_tables(num_classes: int | None) -> Iterator[tuple[Space, Space, Mapping[int, int | None]]]:
    """Every numbering with an official table to another one of so many classes, that one, and the table."""
    by_name = {space.name: space for space in spaces()}
    return ((space, by_name[name], table) for space in spaces() for name, table in space.to.items()
            if by_name[name].spec.num_classes == num_classes)


def _official(case: Case) -> Iterator[Explanation]:
    """Numberings with an official table to as many classes as are declared, where that is no mere shift."""
    for space, target, table in official_tables(case.spec.num_classes):
        codes = [label for label in case.plain if label in table]
        steps = {None if (there := table[label]) is None else label - there for label in codes}
        if {*case.plain} - {*codes} <= {*target.spec.ignore_index} and len(steps) > 1:
            moved = {label: VOID if (there := table.get(label)) is None else there for label in case.plain}
            evidence = (f"all {len(codes)} ids are {space.title}, of which there are {len(space.drawn)}",
                        f"the official table leads from them to {target.spec.num_classes} classes, as many as are declared",
                        *_gaps(space, case.ids))
            more = prior("mostly void") * case.mostly([label for label, there in moved.items() if there == VOID])
            yield _explained(space, "space official", *case.moved(0, moved), more=more, evidence=evidence,
                             pipeline=space.pipelines.get(target.name, ""))


def _selected(case: Case) -> Iterator[Explanation]:
    """As many of the trained classes of a public numbering as are declared, in their order; what is not trained there is void."""
    number = case.spec.num_classes or 0
    tables = [(space, table) for space in spaces() for table in space.to.values() if None in table.values() and len(table) <= 256]
    for space, table in tables:
        kept = [label for label in case.plain if table.get(label) is not None]
        trained = sum(there is not None for there in table.values())
        if {*case.plain} <= {*table} and len(kept) == number < trained:
            moved = {label: kept.index(label) if label in kept else VOID for label in case.plain}
            bits = prior("in order") + log2(len(tables)) + log2(comb(trained, number))
            yield Explanation("in order", f"the ids are some of the {space.title}, in their order", bits, *case.moved(0, moved),
                              repairable=False, evidence=(f"all of them are trained classes among the {space.title}, the others void",))


def _wrong_preset(case: Case) -> Iterator[Explanation]:
    """The numbering that an official table leads to, where the one that it leads from is declared."""
    for space in spaces():
        for name in space.to if space.spec.num_classes == case.spec.num_classes else ():
            yield from _whole(next(each for each in spaces() if each.name == name), "space wrong preset", case)


def _other(case: Case) -> Iterator[Explanation]:
    """Any other public numbering that explains an id which is not legal: by a void label of its own, or by gaps that match."""
    for space in spaces():
        if not any(target.name in space.to for target in spaces() if target.spec.num_classes == case.spec.num_classes):
            yield from _whole(space, "space other", case)


def _whole(space: Space, name: str, case: Case) -> Iterator[Explanation]:
    number, ignored = space.spec.num_classes, space.spec.ignore_index
    if number is None or number == case.spec.num_classes or not {*case.plain} <= space.drawn | {*ignored}:
        return
    if number < (case.spec.num_classes or 0) or space.unused:  # else they are but more classes
        table, _ = case.moved(0, {label: VOID for label in case.ids if label in ignored}, number)
        evidence = (f"all {len(case.plain)} ids are {space.title}, of which there are {len(space.drawn)}", *_gaps(space, case.ids))
        more = log2(len(spaces())) if name == "space other" else 0.0
        yield _explained(space, name, table, number, more=more, lost=len(space.unused), repairable=False, evidence=evidence)


def _explained(space: Space, name: str, table: Mapping[int, int], number: int, *, more: float = 0.0, lost: int = 0, repairable: bool = True,
               evidence: tuple[str, ...] = (), pipeline: str = "") -> Explanation:
    """The numbering tells itself from others by its place among them."""
    return Explanation("space", f"the ids are {space.title}", prior(name) + more, table, number, spaces().index(space), lost=lost,
                       repairable=repairable, evidence=evidence, pipeline=pipeline)


def _gaps(space: Space, ids: Ids) -> Collection[str]:
    inside = [label for label in space.unused if label < ids[-1]]
    return (f"the gaps at {id_ranges(inside, 12)} match",) if inside else ()


def _fewer(case: Case) -> Iterator[Explanation]:
    """What such a numbering has to beat: a void label or a cut sentinel, and the first classes alone are in use."""
    for label in case.illegal:
        number = max((code for code in case.plain if code != label), default=0) + 1
        if case.illegal == (label,) and number < (case.spec.num_classes or 0):
            few = prior("first classes") + log2(case.spec.num_classes or 1)
            bits = prior("void 255" if label == 255 else "void other") + few
            yield Explanation("void", f"{label} is a void label that is not declared", bits, *case.moved(0, {label: VOID}, number), label)
            yield from sentinels(label, case, few, number)

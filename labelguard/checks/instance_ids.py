"""The mask numbers objects instead of classes.

What it does
------------
Reports ids that combine class and object, such as 26003 for class 26 and object 3 (1000, 256 or 65536 ids per class), with object numbers
that start again in each file and class. Also reports ids that run from 1 without a gap in nearly every file, up to a different number in
each, if nearly every id is one compact object.

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

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from labelguard.checks._objects import numbered_objects
from labelguard.checks._remap_command import remap_fix
from labelguard.checks._spread_ids import coded
from labelguard.checks._weighed import as_weighed
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import TOPS
from labelguard.facts.dataset import DatasetFacts, Where
from labelguard.facts.numbered_ids import highest_number
from labelguard.facts.record import Ids
from labelguard.finding import Finding, Severity
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, of_files

rule = Rule("LG111", "instance-ids", Severity.ERROR, "The mask numbers objects instead of classes.", of_classes=True,
            needs_facts=("erosion",))

_TO_A_CLASS = (1000, 65536, 256)
_MOST_CLASSES = 256
_HIGHEST_NUMBER = 0.9  # share of the numbers a class has room for; the highest is rarely reached
_DENSE = 0.8           # share of the groups whose numbers have few gaps
_CUT_VOIDS = range(255_000 % 65536, 255_000 % 65536 + 8)  # what void * 1000 + number is once it is cut to 16 bits


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    ids = [label for label in data.files_with if label not in spec.ignore_index]
    if not ids or (spec.declared and all(map(spec.is_legal, ids))) or coded(data, spec) is not None:
        return
    split = next(filter(None, (_split(data, spec, size) for size in _TO_A_CLASS)), None)
    if split is not None:
        yield as_weighed(_with_class(split, data, spec), data, spec, "instances")
    elif numbered_objects(data, spec):
        numbers = Counter[int]()
        for ids_there, files in data.id_sets().items():
            numbers[highest_number(ids_there) or 0] += files
        del numbers[0]
        said = rule.finding(
            f"The ids are object numbers, up to {max(numbers)} in one file, not classes.", **_details(data, spec),
            evidence=(f"they run from 1 without a gap {of_files(numbers.total(), data.num_exact)}, up to {len(numbers)} different ids",
                      "nearly every id is one compact object"),
            fix="Fetch the semantic masks, or look up the class of each object. If there is one kind of object, all above 0 is class 1.")
        yield as_weighed(said, data, spec, "numbered")


def _details(data: DatasetFacts, spec: LabelSpec, where: Where | None = None) -> dict[str, Any]:
    """The details of a finding about some files, whatever is wrong with them."""
    ids = sorted({label for each in data.id_sets(where) for label in each} - set(spec.ignore_index))
    wrong = tuple(label for label in ids if not spec.declared or not spec.is_legal(label))
    return {"ids": wrong, "files": data.files(where), "explains": (*ids, *range(spec.num_classes or 0)),
            "pixels": data.pixels_of(wrong, where),
            "severity": Severity.ERROR if spec.declared else Severity.WARNING}


@dataclass(frozen=True)
class _Split:
    """Ids that are a class times `size` and the number of an object.

    `low` are the ids below `size`, which are classes, `high` the others, `voids` those among them that were void, `id_sets` the sets of
    ids of the files that hold any of them, with the number of files of each; `classes` gives for each class in the files the declared one.
    """

    size: int
    id_sets: Mapping[Ids, int]
    low: list[int]
    high: list[int]
    classes: dict[int, int]
    voids: list[int]

    @property
    def low_is_zero(self) -> bool:
        """Whether the low ids are numbers of objects of class 0 and no classes: no object has the number 0, and class 0 is not there."""
        numbers = {label % self.size for label in self.high}
        return bool(self.low) and set(self.low) <= numbers and 0 not in numbers and min(self.high) >= self.size


def _split(data: DatasetFacts, spec: LabelSpec, size: int) -> _Split | None:
    """The ids split into class and object number; None if that makes no sense."""
    id_sets = data.id_sets(lambda ids: ids[-1] >= size and any(label >= size for label in _ids(ids, spec, size)))
    ids = sorted({label for each in id_sets for label in _ids(each, spec, size)})
    voids = [label for each in id_sets for label in each if size == 1000 and label in _CUT_VOIDS]
    low, high = [label for label in ids if label < size], [label for label in ids if label >= size]
    if not high or ids[0] < 0 or (not spec.declared and (size == 256 or len(high) < 2)) or high[-1] >= size * _MOST_CLASSES:
        return None
    if any((highest_number(each) or 0) >= size for each in id_sets):
        return None
    groups = [(numbers, files) for each, files in id_sets.items() for numbers in _numbers(each, spec, size).values()]
    dense = sum(files for numbers, files in groups if max(numbers) <= 2 * len(numbers) + 1)
    if (max(max(numbers) for numbers, _ in groups) > _HIGHEST_NUMBER * size or not any(any(numbers) for numbers, _ in groups)
            or dense < _DENSE * sum(files for _, files in groups)):
        return None
    classes = _classes({label // size for label in high} | set(low), spec)
    return None if classes is None else _Split(size, id_sets, low, high, classes, sorted(set(voids)))


def _ids(ids: Ids, spec: LabelSpec, size: int) -> list[int]:
    return [label for label in ids if label not in spec.ignore_index and label not in TOPS
            and not (size == 1000 and label in _CUT_VOIDS)]


def _numbers(ids: Ids, spec: LabelSpec, size: int) -> dict[int, list[int]]:
    """The numbers of the objects of each class."""
    numbers: dict[int, list[int]] = {}
    for label in _ids(ids, spec, size):
        if label >= size:
            numbers.setdefault(label // size, []).append(label % size)
    return numbers


def _classes(classes: set[int], spec: LabelSpec) -> dict[int, int] | None:
    """For each class as numbered in the files, the declared class; None if no table leads there."""
    if not spec.declared or all(map(spec.is_legal, classes)):
        return {label: label for label in classes}
    void = _void(spec)[0]
    targets = {space.name: space.spec.num_classes for space in spaces()}
    tables = (table for space in spaces() for target, table in space.to.items() if targets[target] == spec.num_classes)
    table = next((table for table in tables if classes <= set(table)), None)
    return None if table is None else {label: void if there is None else there for label, there in table.items()}


def _void(spec: LabelSpec) -> tuple[int, ...]:
    return tuple(label for label in spec.ignore_index if label >= 0) or (255,)


def _with_class(split: _Split, data: DatasetFacts, spec: LabelSpec) -> Finding:
    size, low, high = split.size, split.low, split.high
    table = {label: 0 if split.low_is_zero else split.classes[label] for label in low}
    for label in sorted({label // size for label in high}):
        span = range(label * size, (label + 1) * size) if size < 65536 else [code for code in high if code // size == label]
        table |= dict.fromkeys(span, split.classes[label])
    table |= dict.fromkeys(split.voids, _void(spec)[0])
    part = any(table.get(label, label) != label for each in data.id_sets() if each not in split.id_sets for label in _ids(each, spec, size))
    void = tuple(label for label in _void(spec) if label in spec.ignore_index or label in data.files_with or label in table.values())
    number = spec.num_classes or max(target for target in table.values() if target not in void) + 1
    seen = sorted({label // size for label in high})
    files = of_files(sum(split.id_sets.values()), data.num_exact)
    evidence = [f"{count(len(high), 'id')} from {size} on, {files}, of the classes {id_ranges(seen)}",
                "the object numbers start again in each file"]
    if split.low_is_zero:
        evidence.append(f"{id_ranges(low)} is taken for objects of class 0, since no object has the number 0")
    elif low:
        evidence.append(f"ids below {size} are classes without objects of their own: {id_ranges(low)}")
    if split.voids:
        evidence.append(f"{id_ranges(split.voids)} is void, 255 * {size} and more, cut to 16 bits")
    if any(there != label for label, there in split.classes.items()):
        evidence.append("the classes themselves are numbered differently; the command moves them as well")
    example = high[-1]
    return rule.finding(f"The ids are class * {size} + object number, such as {example}: class {example // size}, "
                        f"object {example % size}.", evidence=tuple(evidence),
                        fix=remap_fix(data, spec, table, number, void, part=part),
                        **_details(data, spec, split.id_sets.__contains__))

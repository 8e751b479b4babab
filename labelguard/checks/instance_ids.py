"""The mask numbers objects, not classes.

Looks for: ids such as 26003, class 26 and object 3 (1000, 256 or 65536 to a class), whose object numbers begin anew in each file and class;
and ids that run from 1 without a gap in nearly every file, up to another number in each, where nearly every id is one compact object.

Hurts because: ids of thousands are out of range, and an embedding or one-hot of that size ends in an out-of-memory error. Numbers of
objects mean nothing as classes: object 3 is a car here and a cell there.

Mend it: where the class is a part of the id, the command of the finding takes it out. Plain numbers of objects know no class: fetch the
semantic masks, or the list that says which class each object has; for one kind of object, everything above 0 is class 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelguard.checks import Rule
from labelguard.checks._codes import coded, remap_command
from labelguard.checks._objects import numbered_objects
from labelguard.facts import DatasetFacts, FileRecord
from labelguard.finding import Finding, Severity
from labelguard.spaces import spaces
from labelguard.spec import LabelSpec
from labelguard.words import count, id_ranges, of_files

rule = Rule("LG111", "instance-ids", Severity.ERROR, "The mask numbers objects instead of classes.")

_TO_A_CLASS = (1000, 65536, 256)
_MOST_CLASSES = 256


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    ids = [label for label in data.files_with if label not in spec.ignore_index]
    if not ids or (spec.declared and all(map(spec.is_legal, ids))) or coded(data, spec) is not None:
        return
    severity = Severity.ERROR if spec.declared else Severity.WARNING
    whole: dict[str, Any] = {"pixels": None, "files": tuple(record.path for record in data.exact), "severity": severity,
             "ids": tuple(sorted(label for label in ids if not spec.declared or not spec.is_legal(label))),
             "explains": (*ids, *range(spec.num_classes or 0))}
    for size in _TO_A_CLASS:
        if _splits(data, spec, size):
            yield _with_class(data, spec, size, whole)
            return
    if numbered_objects(data, spec):
        numbers = [record.objects.number for record in data.exact if record.objects is not None]
        yield rule.finding(
            f"The ids are numbers of objects, up to {max(numbers)} in one file, not classes.", **whole,
            evidence=(f"they run from 1 without a gap {of_files(len(numbers), len(data.exact))}, to {len(set(numbers))} different ends",
                      "nearly every id is one compact object"),
            fix="Fetch the semantic masks, or translate each object by the list of its classes. If there is one kind of object: "
                + remap_command(data, dict.fromkeys(range(1, max(ids) + 1), 1), 2, spec.ignore_index))


def _high(record: FileRecord, size: int) -> dict[int, list[int]]:
    """The object numbers of each class."""
    numbers: dict[int, list[int]] = {}
    for label in record.ids:
        if label >= size:
            numbers.setdefault(label // size, []).append(label % size)
    return numbers


def _splits(data: DatasetFacts, spec: LabelSpec, size: int) -> bool:
    """Whether ids above `size` are a class and the number of an object."""
    top = (size << 8) - 1
    ids = [label for label in data.files_with if label not in spec.ignore_index and label not in (255, 65535)]
    high = [label for label in ids if label >= size]
    if len(high) < 2 or min(ids) < 0 or (not spec.declared and size == 256) or max(high) > top or max(high) >= size * _MOST_CLASSES:
        return False
    if any(record.objects is not None and record.objects.number >= size for record in data.exact):
        return False
    groups = [numbers for record in data.exact for numbers in _high(record, size).values()]
    if max(map(max, groups)) > 0.9 * size or not any(map(any, groups)):
        return False
    dense = sum(max(numbers) <= 2 * len(numbers) + 1 for numbers in groups)
    return dense >= 0.8 * len(groups) and (not spec.declared or _classes(data, spec, size) is not None)


def _classes(data: DatasetFacts, spec: LabelSpec, size: int) -> dict[int, int] | None:
    """For each class as numbered in the files the declared one; None where there is no way to it."""
    ids = [label for label in data.files_with if label not in spec.ignore_index and label not in (255, 65535)]
    classes = {label // size for label in ids if label >= size} | {label for label in ids if label < size}
    if not spec.declared or all(map(spec.is_class, classes)):
        return {label: label for label in classes}
    void = next((label for label in spec.ignore_index if label >= 0), 255)
    for space in spaces():
        for target, table in space.to.items():
            number = next(there.spec.num_classes for there in spaces() if there.name == target)
            if number == spec.num_classes and classes <= set(table):
                return {label: void if (there := table[label]) is None else there for label in table}
    return None


def _with_class(data: DatasetFacts, spec: LabelSpec, size: int, whole: dict[str, Any]) -> Finding:
    ids = sorted(label for label in data.files_with if label not in spec.ignore_index)
    classes = _classes(data, spec, size) or {}
    low, high = [label for label in ids if label < size], [label for label in ids if label >= size]
    numbers = {label % size for label in high}
    seen = sorted({label // size for label in high})
    of_zero = bool(low) and 0 not in low and set(low) <= numbers and 0 not in numbers and 0 not in seen  # then they are objects of class 0
    table = {label: 0 if of_zero else classes.get(label, label) for label in low}
    for label in seen:
        span = range(label * size, (label + 1) * size) if size < 65536 else [code for code in high if code // size == label]
        table |= dict.fromkeys(span, classes.get(label, label))
    example = max(high)
    void = tuple(label for label in spec.ignore_index if label >= 0) or (255,) * (255 in table.values() and not spec.is_class(255))
    files = sum(any(label >= size for label in record.ids) for record in data.exact)
    evidence = [f"{count(len(high), 'id')} from {size} on, {of_files(files, len(data.exact))}, of the classes {id_ranges(seen)}",
                "the numbers of the objects begin anew in each file"]
    if of_zero:
        evidence.append(f"{id_ranges(low)} is taken for objects of class 0, for no object has the number 0")
    elif low:
        evidence.append(f"ids below {size} are classes without objects of their own: {id_ranges(low)}")
    if any(classes[label] != label for label in classes):
        evidence.append("the classes themselves are numbered otherwise; the command moves them as well")
    return rule.finding(f"The ids are class * {size} + number of the object, such as {example}: class {example // size}, "
                        f"object {example % size}.", evidence=tuple(evidence),
                        fix=remap_command(data, table, spec.num_classes or max(table.values()) + 1, void), **whole)

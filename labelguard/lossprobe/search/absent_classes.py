"""Classes whose absence makes a batch fail: which, whether one of them is enough, and in which masks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from labelguard.lossprobe.findings.evidence import Evidence
from labelguard.lossprobe.search.absence import Absence
from labelguard.lossprobe.search.ddmin import ddmin
from labelguard.lossprobe.search.neutral_masks import neutral_masks
from labelguard.lossprobe.search.shrink import FailingCase
from labelguard.lossprobe.supervisor.outcome import Labels, Outcome, Runner

_MOST_TRIED = 32    # classes, one run each


def needed_classes(case: FailingCase, classes: Sequence[int], evidence: Evidence) -> Absence | None:
    """The classes that the kept masks lack, and with which they pass: one pixel each, planted in the first of the masks.

    None where other classes in the same places help as well, for then no class in particular is needed. Where several are needed, each
    has been left out once, and the masks failed; where one is enough, each of the others has been planted in its place. What is seen
    goes into `evidence`.
    """
    masks = case.masks()
    held = np.unique(case.work[masks]).tolist()
    absent = [label for label in classes if label not in held]
    ids, counts = np.unique(case.work[masks[0]], return_counts=True)
    ground = int(ids[counts.argmax()])  # gives way to the planted pixels
    if not absent or counts.max() <= len(absent):
        return None
    places = dict(zip(absent, np.argwhere(case.work[masks[0]] == ground), strict=False))

    def passes(planted: dict[int, int]) -> bool:
        batch = case.minimal.copy()
        for absentee, label in planted.items():
            row, column = places[absentee]
            batch[masks[0], row, column] = label
        return not case.oracle.fails(batch)

    if not passes({label: label for label in absent}):
        return None
    needed = ddmin(absent, lambda some: passes({label: label for label in some}))
    others = [label for label in classes if label not in needed and label != ground]
    other = next((label for label in others if label in held), next(iter(others), None))
    if other is not None and passes(dict.fromkeys(needed, other)):
        evidence.another_class_helps(needed[0], other)
        return None
    if other is not None:
        evidence.another_class_does_not_help(other)
    from_batch = len(masks) > 1
    if len(needed) == 1:
        helpful = [label for label in absent[:_MOST_TRIED] if label not in (*needed, other) and passes({needed[0]: label})]
        return Absence(tuple(sorted([*needed, *helpful])), bool(helpful), from_batch)
    if not case.oracle.costly:
        needed = [label for label in needed if not passes({rest: rest for rest in needed if rest != label})]
        evidence.each_absence_is_enough(needed)
    return Absence(tuple(needed), from_batch=from_batch) if needed else None


def absence_in_set(run: Runner, shape: tuple[int, ...], failure: Outcome, found: Absence, num_classes: int, ignore: Collection[int],
                   masks: Iterable[Collection[int]], alone: bool) -> Absence:
    """What holds for all masks of a set, by neutral masks that lack one class each, where one is enough.

    Parameters
    ----------
    run, failure
        The loss, and how it failed.
    shape
        (N, H, W) of the batch.
    found
        What one of its masks was found to lack, or all of them.
    num_classes, ignore
        The classes are those that are not ignored.
    masks
        The ids of each mask of the set.
    alone
        Whether every batch is a single mask. A mask that was alone by chance does not tell whether the others of a batch would help.
    """
    count, height, width = shape
    known = [label for label in range(num_classes) if label not in ignore]
    together = max(count, 1 if alone else 2)
    base = neutral_masks(together, height, width, num_classes, without=ignore)

    def fails_without(*labels: int) -> bool:
        batch: Labels = neutral_masks(together, height, width, num_classes, without={*ignore, *labels})
        if not found.from_batch:
            batch[1:] = base[1:]
        return failure.same_failure(run(batch, (failure.last.regime,)))

    if len(known) <= len(found.classes):
        return found
    if found.together or not all(fails_without(label) for label in found.classes[:_MOST_TRIED]):
        by_chance = together > count and not fails_without(*found.classes)
        return replace(found, from_batch=found.from_batch or by_chance)
    lacking = {label for ids in masks for label in known if label not in ids} - {*found.classes}
    more = [label for label in sorted(lacking)[:_MOST_TRIED] if fails_without(label)]
    return Absence(tuple(sorted({*found.classes, *more})), from_batch=found.from_batch)

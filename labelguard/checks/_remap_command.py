"""The `labelguard remap` command that a check suggests, and the one gate that all such commands pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from labelguard.explanations.decide import verdict_on, weighed
from labelguard.explanations.sightings import Sightings
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import PLACEHOLDER, Arguments, Fix
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import path_argument


def remap_fix(data: DatasetFacts, spec: LabelSpec, merges: Mapping[int, int], num_classes: int | None, ignored: Iterable[int] = (), *,
              shift: int = 0, part: bool = False) -> Fix:
    """The command that moves the ids of a folder; where it is not certain to mend the set, what to look at instead.

    Parameters
    ----------
    data, spec
        The facts of the folder, and what is declared.
    merges
        For some ids, as they are before the shift, the id that they become; those that stay are left out of the command.
    num_classes, ignored
        Of the result.
    shift
        What is added to every other id that is not ignored.
    part
        Whether only some of the files are to be moved.
    """
    ignored = tuple(label for label in ignored if label >= 0)  # no unsigned file holds another
    weighed = verdict_on(data, spec)
    if weighed is None or not weighed.mendable:
        return Fix.advice(_LOOK.format(f" It may be that {weighed.doubt}." if weighed is not None and weighed.doubt else ""))
    if part:
        return Fix.advice(_APART)

    def moved(label: int) -> int:
        return merges.get(label, label if label in ignored else label + shift)

    if not weighed.vouches_for(moved, num_classes, ignored):
        return Fix.advice(_LOOK.format(f" It may be that {weighed.doubt}."))
    return remap_command(data, *(("--shift", str(shift)) if shift else ()), *table_arguments(merges, shift),
                         *spec_arguments(num_classes, ignored))


_LOOK = "Look at some of these masks beside their images before anything is moved: the ids alone do not settle it.{}"
_APART = ("The other files must stay as they are. Copy these files into a folder of their own and scan that: where the fault is the "
          "same in all its files, the command is printed.")


def remap_command(data: DatasetFacts, *options: str) -> Fix:
    """The command that remaps what was read with some options, on the word of the caller."""
    return Fix.command("labelguard", "remap", path_argument(data.root), *data.selected, *options, safe=data.root != PLACEHOLDER)


def leaves_as_declared(data: DatasetFacts, table: Mapping[int, int], result: LabelSpec) -> bool:
    """Whether all ids, moved by a table, are legal, no two of them the same class, and best explained as being what is declared."""
    classes = [there for there in table.values() if there not in result.ignore_index]
    if len({*classes}) < len(classes) or not all(map(result.is_legal, table.values())):
        return False
    seen = Sightings.of(data)
    after = weighed(seen.moved([(np.ones(len(seen.files), bool), table)]), result, mending=False)
    return after is None or after.is_as_declared


def table_arguments(table: Mapping[int, int], shift: int = 0) -> Arguments:
    """``--merge A:B`` for every id that a table moves otherwise than the shift does."""
    sources: dict[int, list[int]] = {}
    for label, target in sorted(table.items()):
        if shift or label != target:
            sources.setdefault(target, []).append(label)
    return merge_arguments(f"{id_argument(labels)}:{target}" for target, labels in sources.items())


def merge_arguments(merges: Iterable[str]) -> Arguments:
    """``--merge A:B`` for each merge."""
    return tuple(argument for merge in merges for argument in ("--merge", merge))


def spec_arguments(num_classes: int | None, ignored: Iterable[int]) -> Arguments:
    """``--num-classes 12 --ignore-index 255``: what the ids of the result mean."""
    number = () if num_classes is None else ("--num-classes", str(num_classes))
    return (*number, *(argument for label in ignored for argument in ("--ignore-index", str(label))))


def id_argument(labels: list[int]) -> str:
    """``0-6,9``: ascending ids as an option takes them."""
    runs: list[list[int]] = []
    for label in labels:
        if runs and label == runs[-1][1] + 1:
            runs[-1][1] = label
        else:
            runs.append([label, label])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)

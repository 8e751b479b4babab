"""The `labelguard remap` command that a check suggests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from labelguard.explanations.decide import weighed
from labelguard.explanations.sightings import Sightings
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import PLACEHOLDER, Arguments, Fix
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import path_argument


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

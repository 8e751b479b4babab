"""The `labelguard remap` command that a check suggests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import PLACEHOLDER, Arguments, Fix
from labelguard.text import path_argument


def remap_command(data: DatasetFacts, *options: str) -> Fix:
    """The command that remaps a folder with some options, on the word of the caller."""
    return Fix.command("labelguard", "remap", path_argument(data.root), *options, safe=data.root != PLACEHOLDER)


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

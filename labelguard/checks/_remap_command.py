"""The `labelguard remap` command that a check suggests; shared by the checks that know the original ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import PLACEHOLDER, Arguments, Fix
from labelguard.text import path_argument


def remap_fix(data: DatasetFacts, *options: str, files: Iterable[str] = (), safe: bool = True) -> Fix:
    """The command that remaps a folder with some options.

    Parameters
    ----------
    data
        The facts of the folder.
    options
        The arguments that follow the folder.
    files
        The files to remap, where the others must stay as they are; a command takes one file or one folder, so several must be put apart.
    safe
        Whether the command needs no decision by the user.
    """
    files = list(files)
    if len(files) > 1:
        return Fix.advice(f"Put the {len(files):,} files into a folder of their own, then: ", ("labelguard", "remap", "FOLDER", *options))
    source = f"{data.root}/{files[0]}" if files else data.root
    return Fix.command("labelguard", "remap", path_argument(source), *options, safe=safe and data.root != PLACEHOLDER)


def remap_by_table(data: DatasetFacts, table: Mapping[int, int], num_classes: int | None, ignored: Iterable[int],
                   files: Iterable[str] = (), safe: bool = True) -> Fix:
    """The command that moves ids by a table; ids that stay are left out of it.

    Parameters
    ----------
    data, files, safe
        As for `remap_fix`.
    table
        For each id the id that it becomes.
    num_classes, ignored
        Of the result.
    """
    sources: dict[int, list[int]] = {}
    for label, target in sorted(table.items()):
        if label != target:
            sources.setdefault(target, []).append(label)
    merges = merge_arguments(f"{_as_source(labels)}:{target}" for target, labels in sorted(sources.items()))
    options = (*merges, *spec_arguments(num_classes, (label for label in ignored if label >= 0)))
    return remap_fix(data, *options, files=files, safe=safe)


def merge_arguments(merges: Iterable[str]) -> Arguments:
    """``--merge A:B`` for each merge."""
    return tuple(argument for merge in merges for argument in ("--merge", merge))


def spec_arguments(num_classes: int | None, ignored: Iterable[int]) -> Arguments:
    """``--num-classes 12 --ignore-index 255``: what the ids of the result mean."""
    number = () if num_classes is None else ("--num-classes", str(num_classes))
    return (*number, *(argument for label in ignored for argument in ("--ignore-index", str(label))))


def _as_source(labels: list[int]) -> str:
    """``0-6,9``: ids as a merge writes them."""
    runs: list[list[int]] = []
    for label in labels:
        if runs and label == runs[-1][1] + 1:
            runs[-1][1] = label
        else:
            runs.append([label, label])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)

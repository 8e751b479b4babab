"""The command that moves ids by a table; shared by the checks that know a way back."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import FileRecord

# --- the way back -------------------------------------------------------------------------------------------------------------------------

def remap_command(data: DatasetFacts, table: Mapping[int, int], num_classes: int | None, ignored: Iterable[int],
                  files: Iterable[str] = ()) -> str:
    """The command that moves ids by a table; ids that stay need no mention.

    Parameters
    ----------
    data
        For the folder.
    table
        For each id the id that it becomes.
    num_classes, ignored
        Of the result.
    files
        The files that are to be remapped, where others must not be.
    """
    sources: dict[int, list[int]] = {}
    for label, target in sorted(table.items()):
        if label != target:
            sources.setdefault(target, []).append(label)
    options = [f"--merge {_as_source(labels)}:{target}" for target, labels in sorted(sources.items())]
    options += [f"--num-classes {num_classes}"] * (num_classes is not None)
    options += [f"--ignore-index {label}" for label in ignored if label >= 0]
    files = list(files)
    if len(files) > 1:
        return f"Put the {len(files):,} files into a folder of their own, then: " + " ".join(["labelguard remap FOLDER", *options])
    return " ".join(["labelguard remap", shlex.quote(f"{data.root}/{files[0]}" if files else data.root), *options])


def _as_source(labels: list[int]) -> str:
    """``0-6,9``: ids as a merge writes them."""
    runs: list[list[int]] = []
    for label in labels:
        if runs and label == runs[-1][1] + 1:
            runs[-1][1] = label
        else:
            runs.append([label, label])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def records_of(data: DatasetFacts, files: Iterable[str]) -> list[FileRecord]:
    """The records of some files."""
    wanted = set(files)
    return [record for record in data.records if record.path in wanted]

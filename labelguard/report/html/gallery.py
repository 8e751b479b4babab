"""Which files of a page are shown: the worst ones of each check in turn, until the room for pictures is used up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labelguard.finding import Finding
from labelguard.pictures.class_colors import ClassColors
from labelguard.report.html.budget import Budget
from labelguard.report.html.entries import Entry
from labelguard.report.html.exhibit import Exhibit, exhibit
from labelguard.report.html.mask_set import Sets

_ROUNDS = 3  # files of an entry
_MOST = 48   # files in all


def hang(entries: Iterable[Entry], sets: Sets, colors: ClassColors, budget: Budget) -> int:
    """Put pictures of the worst files into entries: one into each, then a second one, while there is room; how many are shown.

    Parameters
    ----------
    entries
        The worst first.
    sets
        Where their files lie; those that are shown are read again.
    colors
        Of the ids.
    budget
        The room for pictures.
    """
    waiting = [(entry, _exhibits(entry.shown, sets, colors, bool(entry.commands))) for entry in entries]
    shown = 0
    for _ in range(_ROUNDS):
        for entry, exhibits in waiting:
            found = next(exhibits, None) if shown < _MOST else None
            if found is not None and budget.takes(*found.texts, bytes_=found.size):
                entry.exhibits.append(found)
                shown += 1
    return shown


def _exhibits(files: Iterable[tuple[str, Finding]], sets: Sets, colors: ClassColors, commands: bool) -> Iterator[Exhibit]:
    """What there is to see of some files; made when it is asked for."""
    for path, finding in files:
        found = exhibit(path, finding, sets.of(finding, path), colors, commands)
        if found is not None:
            yield found

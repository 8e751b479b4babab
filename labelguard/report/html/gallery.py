"""Which files of a page are shown: the worst ones of each check in turn, until the room for pictures is used up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    waiting = [(entry, _exhibits(entry, sets, colors)) for entry in entries]
    shown = 0
    for turn in range(_ROUNDS):
        for entry, exhibits in waiting:
            found = next(exhibits, None) if shown < _MOST and (turn == 0 or entry.points) else None
            if found is not None and budget.takes(*found.texts, bytes_=found.size):
                entry.exhibits.append(found)
                shown += 1
    return shown


def _exhibits(entry: Entry, sets: Sets, colors: ClassColors) -> Iterator[Exhibit]:
    """What there is to see of the files of an entry; made when it is asked for."""
    mended = bool(entry.commands)
    for path, finding in entry.shown:
        found = exhibit(path, finding, sets.of(finding, path), colors, mended)
        if found is not None:
            mended = False  # once is enough
            yield found

"""The options that tell `labelguard remap` which files of a folder are meant, by whatever is shortest and hits just these."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from labelguard.checks._remap_command import id_argument
from labelguard.errors import UsageError
from labelguard.facts.record import Ids
from labelguard.files.selection import STDIN, Selection, anchored, escaped, matcher
from labelguard.finding import Arguments

_MOST_FOLDERS = 4  # in a command
_MOST_IDS = 8
_MOST_NAMES = 12


@dataclass(frozen=True)
class FileChoice:
    """Options of a command, and whether they take a file that has a name, relative to the folder, and some ids."""

    arguments: Arguments
    takes: Callable[[str, Ids], bool]


def selection_of(arguments: Arguments) -> Selection:
    """The selection that some options of a scan made."""
    values: dict[str, list[str]] = {}
    for option, value in zip(arguments[::2], arguments[1::2], strict=True):
        values.setdefault(option, []).append(value)
    return Selection(values.get("--include", ()), values.get("--exclude", ()), values.get("--files-from", [None])[0])


def file_choice(wanted: Mapping[str, Ids], unwanted: Mapping[str, Ids], left_out: Collection[str],
                selected: Selection) -> FileChoice | None:
    """The shortest options that take all that is wanted and nothing that is not; None where none of a few kinds does.

    Parameters
    ----------
    wanted, unwanted
        The files that have to change and those that must not, by name, with their ids; what the change leaves as it is is in neither.
    left_out
        Other masks below the folder, of which nothing is known; they must not be taken.
    selected
        How the files were selected among these.
    """
    for each in _choices(wanted, unwanted, selected):
        if (all(each.takes(name, ids) for name, ids in wanted.items()) and not any(each.takes(name, ids) for name, ids in unwanted.items())
                and not any(each.takes(name, ()) for name in left_out)):
            return each
    return None


def _choices(wanted: Mapping[str, Ids], unwanted: Mapping[str, Ids], selected: Selection) -> Iterator[FileChoice]:
    folders, others = ({posixpath.dirname(name) for name in names} for names in (wanted, unwanted))
    if selected.files_from is None:
        include, exclude = selected.include, selected.exclude
        yield _by_name(include, exclude)
        if "" not in folders and len(folders) <= _MOST_FOLDERS:
            yield _by_name(tuple(f"{anchored(folder)}/" for folder in sorted(folders)))
        if "" not in others and len(others) <= _MOST_FOLDERS:
            yield _by_name(include, (*exclude, *(f"{anchored(folder)}/" for folder in sorted(others))))
        for pattern in _of_names([*wanted]):
            yield _by_name((pattern,))
    elif selected.files_from != STDIN:
        known = {*wanted, *unwanted}  # what the list names is all that was looked at
        yield FileChoice(selected.arguments(), lambda name, _: name in known)
    if selected.files_from is None and (ids := _telling(wanted, unwanted)):
        among = _by_name(selected.include, selected.exclude)
        yield FileChoice((*among.arguments, "--holding", id_argument(sorted(ids))),
                         lambda name, held: not ids.isdisjoint(held) and among.takes(name, held))
    if len(wanted) <= _MOST_NAMES:
        yield _by_name(tuple(map(anchored, sorted(wanted))))
    if len(unwanted) <= _MOST_NAMES and selected.files_from is None:
        yield _by_name(selected.include, (*selected.exclude, *map(anchored, sorted(unwanted))))


def _by_name(include: tuple[str, ...], exclude: tuple[str, ...] = ()) -> FileChoice:
    try:
        meant = matcher("include", include) if include else lambda _: True
        unmeant = matcher("exclude", exclude) if exclude else lambda _: False
    except UsageError:  # a name that no pattern can say
        return FileChoice((), lambda _name, _ids: False)
    return FileChoice(Selection(include, exclude).arguments(), lambda name, _: meant(name) and not unmeant(name))


def _of_names(names: Collection[str]) -> Iterator[str]:
    """Patterns for what all names end or begin with, up to something that parts words."""
    stems = [posixpath.basename(name) for name in names]
    ending, beginning = _common([stem[::-1] for stem in stems])[::-1], _common(stems)
    if (found := re.search(r"[._-].*", ending)) is not None:
        yield "*" + escaped(found[0])
    if (found := re.match(r".*[_-]", beginning)) is not None:
        yield escaped(found[0]) + "*"


def _common(texts: Collection[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    return first[:next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))]


def _telling(wanted: Mapping[str, Ids], unwanted: Mapping[str, Ids]) -> frozenset[int]:
    """A few ids of which every wanted file holds one, and no other file any; none where there are no such ids."""
    elsewhere = {label for ids in {*unwanted.values()} for label in ids}
    left = {*(frozenset(ids) - elsewhere for ids in wanted.values())}
    found: set[int] = set()
    while left and len(found) < _MOST_IDS and frozenset() not in left:
        best = max(sorted({label for ids in left for label in ids}), key=lambda label: sum(label in ids for ids in left))
        found.add(best)
        left = {ids for ids in left if best not in ids}
    return frozenset() if left else frozenset(found)

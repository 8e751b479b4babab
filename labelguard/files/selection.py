"""Selection: which of the masks that were found are meant, by patterns of names and by lists as data sets bring them."""

from __future__ import annotations

import io
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count as count_from

from labelguard.errors import IncompleteError, UsageError
from labelguard.files.find import FileListing
from labelguard.spec.argument_checks import StrPath, checked_path, texts, whole_numbers
from labelguard.text import count, listed, reason, shortened

STDIN = "-"

_LARGEST = 256 << 20  # bytes of a list from the standard input, which is kept
_MOST_LINES = 10_000_000
_LONGEST_LINE = 1 << 16  # characters
_MOST_MISSING = 10_000  # entries; a list that names so many masks that are not there is another list
_ANCESTORS = 4  # folders above the masks: VOC's lists begin at the one that holds them, others at the data set
_BLANK = " \t\n\r\v\f"
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")  # in a pattern of a .gitignore
_COLUMNS = re.compile(r"[,\t]\s*|\s+")


@dataclass(frozen=True, init=False)
class Selection:
    """Which masks are meant. Frozen; an empty one means all.

    Parameters
    ----------
    include, exclude
        Patterns as in a .gitignore, relative to the folder of the masks: ``*_labelIds.png`` at any depth, ``b/`` all below a folder of that
        name, ``a/*.png`` in just that folder, ``val/**/mask*.png``. A mask is meant if it matches one of `include`, or there are none, and
        none of `exclude`.
    files_from
        A list of masks, one on each line, ``-`` for the standard input: names relative to the masks' folder, to the list or to the current
        folder, or stems as in VOC's ``train.txt``. Where a line has several columns, as PaddleSeg writes image and mask, the last is the
        mask. Empty lines and lines with ``#`` are skipped.
    holding
        Ids: a mask is meant if it holds any of them. Which masks do is seen by looking at them, and then given as `names`.
    names
        The masks that are meant, relative to their folder; None where that is not known or not asked.

    Raises
    ------
    UsageError
        When a pattern or path is of the wrong type.
    """

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    files_from: str | None
    holding: tuple[int, ...]
    names: frozenset[str] | None

    def __init__(self, include: str | Iterable[str] = (), exclude: str | Iterable[str] = (), files_from: StrPath | None = None,
                 holding: int | Iterable[int] = (), names: frozenset[str] | None = None) -> None:
        such_as = "patterns of names, such as ['b/', '*_mask.png']"
        for name, patterns in (("include", include), ("exclude", exclude)):
            object.__setattr__(self, name, (patterns,) if isinstance(patterns, str) else texts(name, patterns, such_as))
        object.__setattr__(self, "files_from", None if files_from is None else os.fspath(checked_path("files_from", files_from)))
        object.__setattr__(self, "holding", whole_numbers("holding", (holding,) if isinstance(holding, int) else holding))
        object.__setattr__(self, "names", names)

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude or self.files_from or self.holding)

    def arguments(self) -> tuple[str, ...]:
        """The options that select so."""
        files_from = ("--files-from", self.files_from) if self.files_from else ()
        return (*(word for pattern in self.include for word in ("--include", pattern)),
                *(word for pattern in self.exclude for word in ("--exclude", pattern)), *files_from,
                *(("--holding", ",".join(map(str, self.holding))) if self.holding else ()))

    def of(self, listing: FileListing) -> FileListing:
        """A listing with the masks that are meant; the others become its `left_out`.

        Raises
        ------
        IncompleteError
            When no mask is meant, or the list names one that is not there, or cannot be read.
        UsageError
            When a pattern cannot be read.
        """
        if not self:
            return listing
        meant = matcher("include", self.include) if self.include else lambda _: True
        unmeant = matcher("exclude", self.exclude) if self.exclude else lambda _: False
        lists = [names for names in (self._named(listing), self.names) if names is not None]
        chosen = {entry for entry in listing.files if meant(entry[1]) and not unmeant(entry[1])
                  and all(entry[1] in names for names in lists)}
        if listing.files and not chosen:
            some = listed((f"'{name}'" for _, name in listing.files), 3)
            raise IncompleteError(f"None of the {count(len(listing.files), 'mask')} in '{listing.root}' is selected by {self}; they are "
                                  f"called {some}.")
        return replace(listing, files=tuple(entry for entry in listing.files if entry in chosen),
                       left_out=(*listing.left_out, *(entry for entry in listing.files if entry not in chosen)))

    def __str__(self) -> str:
        return " ".join(self.arguments())

    def _named(self, listing: FileListing) -> set[str] | None:
        """The names of the masks that the list names; None where there is no list."""
        if self.files_from is None:
            return None
        where = "standard input" if self.files_from == STDIN else f"'{self.files_from}'"
        look_up = _by_any_name(listing, "" if self.files_from == STDIN else os.path.dirname(self.files_from))
        found: set[str] = set()
        missing, first = 0, (0, "")
        for number, entry in _entries(self.files_from, where):
            name = look_up(entry)
            if name is not None:
                found.add(name)
                continue
            first = first if missing else (number, entry)
            missing += 1
            if missing == _MOST_MISSING:
                break
        if missing:
            number, entry = first
            which = (f"An entry of {where} names" if missing == 1 else
                     f"{'At least ' if missing == _MOST_MISSING else ''}{missing:,} entries of {where} name")
            raise IncompleteError(f"{which} no mask in '{listing.root}', or several: '{shortened(entry)}' in line {number}. Write names "
                                  "relative to that folder.")
        return found


def matcher(argument: str, patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name matches any of some patterns; `argument` is what an error calls them.

    Raises
    ------
    UsageError
        When a pattern cannot be read.
    """
    from pathspec import GitIgnoreSpec
    try:
        return GitIgnoreSpec.from_lines(patterns).match_file
    except ValueError as problem:
        raise UsageError(f"{argument}: a pattern of {', '.join(patterns)} cannot be read: {problem}.", argument=argument) from None


def anchored(name: str) -> str:
    """The pattern of a .gitignore that matches just one name."""
    return "/" + escaped(name)


def escaped(part: str) -> str:
    """A part of a name as a pattern of a .gitignore writes it."""
    return _SPECIAL.sub(r"\\\1", part)


def _entries(path: str, where: str) -> Iterator[tuple[int, str]]:
    """The lines of a list, each with its number: the last column where there are several."""
    try:
        # What is opened may be the pipe of a shell's <(...); it is read line by line, since it may have no end.
        with io.BytesIO(_standard_input(where)) if path == STDIN else open(path, "rb") as file:
            lines = io.TextIOWrapper(file, sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
            for number in count_from(1):
                line = lines.readline(_LONGEST_LINE)
                if not line:
                    return
                if number > _MOST_LINES or len(line) == _LONGEST_LINE:
                    much = f"{_MOST_LINES:,} lines" if number > _MOST_LINES else f"{_LONGEST_LINE:,} characters in line {number}"
                    raise IncompleteError(f"The list {where} has more than {much}; give the folder itself, or a part of the list.")
                entry = (line.removeprefix("\ufeff") if number == 1 else line).strip(_BLANK)
                if entry and not entry.startswith("#"):
                    yield number, entry
    except OSError as problem:
        raise IncompleteError(f"The list {where} cannot be read: {reason(problem)}.") from None


@cache
def _standard_input(where: str) -> bytes:
    """What comes from the standard input, which can be read once and may be asked for twice."""
    data = sys.stdin.buffer.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise IncompleteError(f"The list {where} has more than {_LARGEST >> 20} MiB; give the folder itself, or a part of the list.")
    return data


def _by_any_name(listing: FileListing, beside: str) -> Callable[[str], str | None]:
    """The function that gives the name of the mask that a line of a list means; None where there is none, or several.

    A line may say less than the name of a mask, as a stem does, where that is unique. What says more is a path, and must lead to the mask:
    from the list, from the current folder, or from a folder above the masks.
    """
    names = {name for _, name in listing.files}
    places = {os.path.abspath(path): name for path, name in listing.files}
    ends: dict[str, set[str]] = defaultdict(set)
    for name in names:
        parts = name.split("/")
        for start in range(len(parts)):
            ending = "/".join(parts[start:])
            ends[ending].add(name)
            ends[os.path.splitext(ending)[0]].add(name)
    above = os.path.abspath(listing.root)
    folders = [os.path.abspath(beside), os.getcwd(), *(above := os.path.dirname(above) for _ in range(_ANCESTORS))]

    def look_up(line: str) -> str | None:
        for entry in (line, _COLUMNS.split(line)[-1]):
            entry = entry.removeprefix("./")
            if entry in names:
                return entry
            if len(ends.get(entry, ())) == 1:
                return next(iter(ends[entry]))
            paths = (os.path.normpath(os.path.join(folder, entry.lstrip("/"))) for folder in folders)
            found = next((places[path] for path in (os.path.normpath(entry), *paths) if path in places), None)
            if found is not None:
                return found
        return None

    return look_up

"""Find the mask files below some paths; hidden and junk files are left out and listed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from labelguard.errors import IncompleteError
from labelguard.facts.frozen import FrozenDict
from labelguard.files.formats import MASK_SUFFIXES
from labelguard.finding import PLACEHOLDER

FoundFile = tuple[str, str]  # path, and name in the report

RECEIPT_NAME = "labelguard-receipt.json"  # our own, beside masks that we have written

_JUNK_NAMES = {"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"}
_JUNK_FOLDERS = {"__macosx", "@eadir", "__pycache__", "$recycle.bin", "system volume information"}
_JUNK_ENDINGS = ("~", ".tmp", ".part", ".crdownload", ".swp")


@dataclass(frozen=True, slots=True)
class FileListing:
    """What lies below the paths that were asked for.

    Parameters
    ----------
    root
        The folder that names are relative to, as the user wrote it; ``SRC`` where several paths were asked for.
    files
        (path, name) of each mask file, sorted by name; the name is relative to the root, with forward slashes.
    skipped
        Names of hidden and junk files and folders.
    others
        How many files of other kinds there are, by suffix.
    missing
        Paths that were asked for and do not exist.
    left_out
        The masks that a selection leaves out; see `labelguard.files.selection`.
    """

    root: str
    files: tuple[FoundFile, ...] = ()
    skipped: tuple[str, ...] = ()
    others: Mapping[str, int] = field(default_factory=FrozenDict)
    missing: tuple[str, ...] = ()
    left_out: tuple[FoundFile, ...] = ()


@dataclass(slots=True)
class _Found:
    """The same while folders are being walked."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def find(paths: Iterable[str | os.PathLike[str]]) -> FileListing:
    """List the mask files among `paths` and, recursively, in the folders among them.

    A file that is named is taken whatever it is called; below a folder, files count by suffix. Links are followed, each
    folder is entered once.
    """
    roots = [os.fspath(path) for path in paths]
    found = _Found()
    entered: set[tuple[int, int]] = set()
    for path in roots:
        if os.path.isdir(path):
            prefix = "" if len(roots) == 1 else path.replace(os.sep, "/").rstrip("/") + "/"
            _walk(path, prefix, found, entered)
        elif os.path.lexists(path):
            found.files.append((path, os.path.basename(path) if len(roots) == 1 else path.replace(os.sep, "/")))
        else:
            found.missing.append(path)
    files = tuple(sorted(set(found.files), key=lambda entry: entry[1]))
    return FileListing(roots[0] if len(roots) == 1 else PLACEHOLDER, files, tuple(sorted(found.skipped)), FrozenDict(found.others),
                       tuple(found.missing))


def find_existing(paths: Iterable[str | os.PathLike[str]]) -> FileListing:
    """The same, where every path must exist.

    Raises
    ------
    IncompleteError
        When one does not.
    """
    listing = find(paths)
    if listing.missing:
        raise IncompleteError(f"'{listing.missing[0]}' does not exist, or cannot be opened.")
    return listing


def find_masks(paths: Sequence[str | os.PathLike[str]]) -> FileListing:
    """The same, where there must be masks.

    Raises
    ------
    IncompleteError
        When a path does not exist, or there is no mask below them.
    """
    listing = find_existing(paths)
    if not listing.files:
        raise IncompleteError(nothing_found(listing, paths))
    return listing


def nothing_found(listing: FileListing, paths: Sequence[str | os.PathLike[str]]) -> str:
    """What lies there instead of masks, in words."""
    where = ", ".join(f"'{os.fspath(path)}'" for path in paths)
    others = ", ".join(f"{n} {suffix or 'without a suffix'}" for suffix, n in sorted(listing.others.items())[:5])
    return f"No masks found in {where}" + (f" (files of other types: {others})." if others else ".")


def _walk(folder: str, prefix: str, found: _Found, entered: set[tuple[int, int]]) -> None:
    for entry in _entries(folder, found, prefix, entered):
        lower = entry.name.lower()
        is_folder = entry.is_dir()
        junk = lower in (_JUNK_FOLDERS if is_folder else _JUNK_NAMES) or lower.endswith(_JUNK_ENDINGS)
        if junk or lower.startswith("."):
            found.skipped.append(prefix + entry.name + ("/" if is_folder else ""))
        elif is_folder:
            _walk(entry.path, f"{prefix}{entry.name}/", found, entered)
        else:
            suffix = os.path.splitext(lower)[1]
            if suffix in MASK_SUFFIXES:
                found.files.append((entry.path, prefix + entry.name))
            elif entry.name != RECEIPT_NAME:
                found.others[suffix] = found.others.get(suffix, 0) + 1


def _entries(folder: str, found: _Found, prefix: str, entered: set[tuple[int, int]]) -> Iterator[os.DirEntry[str]]:
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in entered:
            return
        entered.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        found.missing.append(prefix or folder)

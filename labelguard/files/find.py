"""Find the mask files below some paths; hidden and junk files are left out and listed."""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from labelguard.errors import IncompleteError
from labelguard.facts.frozen import FrozenDict
from labelguard.files.entries import cannot_be_opened, not_a_file
from labelguard.files.formats import MASK_SUFFIXES
from labelguard.finding import PLACEHOLDER
from labelguard.text import did_you_mean

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
    refused
        (name, reason) of what may be or hold masks and cannot be looked at: folders and links that cannot be followed, devices, pipes.
    others
        How many files of other kinds there are, by suffix.
    missing
        Paths that were asked for and do not exist.
    left_out
        The masks that a selection leaves out; see `labelguard.files.selection`.
    paths
        The paths that were asked for, as the user wrote them. Where there are several, names begin with theirs.
    folders
        The folders that were looked through.
    written
        Those below the paths that hold a receipt: labelguard wrote what is in them.
    """

    root: str
    files: tuple[FoundFile, ...] = ()
    skipped: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    others: Mapping[str, int] = field(default_factory=FrozenDict)
    missing: tuple[str, ...] = ()
    left_out: tuple[FoundFile, ...] = ()
    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    def path_of(self, name: str) -> str:
        """Where a file lies that is called so in the report, also one that is no mask."""
        at = bisect_left(self.files, name, key=_name)
        if at < len(self.files) and _name(self.files[at]) == name:
            return self.files[at][0]
        return os.path.join(self.root, name) if len(self.paths) == 1 else name


def _name(entry: FoundFile) -> str:
    return entry[1]


@dataclass(slots=True)
class _Found:
    """The same while folders are being walked."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


def find(paths: Iterable[str | os.PathLike[str]]) -> FileListing:
    """List the mask files among `paths` and, recursively, in the folders among them.

    A file that is named is taken whatever it is called; below a folder, files count by suffix. Links are followed, each
    folder is entered once. Nothing is opened but folders: what is no regular file is told by its status.
    """
    roots = [os.fspath(path) for path in paths]
    found = _Found()
    entered: set[tuple[int, int]] = set()
    for path in roots:
        if os.path.isdir(path):
            prefix = "" if len(roots) == 1 else path.replace(os.sep, "/").rstrip("/") + "/"
            _walk(path, prefix, found, entered)
        else:
            _take_named(path, os.path.basename(path) if len(roots) == 1 else path.replace(os.sep, "/"), found)
    files = tuple(sorted(set(found.files), key=lambda entry: entry[1]))
    return FileListing(roots[0] if len(roots) == 1 else PLACEHOLDER, files, tuple(sorted(found.skipped)),
                       tuple(sorted(set(found.refused))), FrozenDict(found.others), tuple(found.missing), paths=tuple(roots),
                       folders=tuple(found.folders), written=tuple(sorted(found.written)))


def find_existing(paths: Iterable[str | os.PathLike[str]]) -> FileListing:
    """The same, where every path must exist.

    Raises
    ------
    IncompleteError
        When one does not.
    """
    listing = find(paths)
    if listing.missing:
        raise IncompleteError(f"'{listing.missing[0]}' does not exist, or cannot be opened.{_near(listing.missing[0])}")
    return listing


def _near(path: str) -> str:
    """What may have been meant by a path that does not exist, as a sentence: a pattern, or what is nearly called so."""
    if re.match("[A-Za-z][A-Za-z0-9+.-]+://", path):  # more letters than a drive has
        return " Only files of this machine are read: fetch them first."
    if set(path) & set("*?["):
        return " If it is a pattern: name the folder here, and give the pattern with --include."
    folder, name = os.path.split(path.rstrip("/" + os.sep))
    try:
        return did_you_mean(name, (each for each in os.listdir(folder or ".") if each != name), os.path.join(folder, ""))
    except OSError:
        return ""


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


def nothing_found(listing: FileListing, paths: Sequence[str | os.PathLike[str]], what: str = "masks") -> str:
    """What lies there instead of masks, in words."""
    where = ", ".join(f"'{os.fspath(path)}'" for path in paths)
    others = ", ".join(f"{n} {suffix or 'without a suffix'}" for suffix, n in sorted(listing.others.items())[:5])
    refused = "; ".join(f"'{name}' {reason}" for name, reason in listing.refused[:5])
    instead = "; ".join(filter(None, (others and f"files of other types: {others}", refused)))
    more = " Name one of these files to be told what to do with it." if others and what == "masks" else ""
    return f"No {what} found in {where}" + (f" ({instead})." if instead else ".") + more


def _walk(root: str, prefix: str, found: _Found, entered: set[tuple[int, int]]) -> None:
    """Look through a folder and those in it, one after the other: neither their number nor their depth costs open files or the stack.

    What links lead to comes last, so that a folder that lies here has its own name, and not that of a link to it.
    """
    waiting, linked = [(root, prefix)], list[tuple[str, str]]()
    while waiting or linked:
        folder, prefix = (waiting or linked).pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as scanned:
                entries = list(scanned)
            found.folders.append(folder)
        except OSError as problem:
            if folder is root:
                found.missing.append(root)
            else:
                found.refused.append((prefix, cannot_be_opened(problem)))
            continue
        for entry in entries:
            if _take(entry, prefix + entry.name, found):
                (linked if entry.is_symlink() else waiting).append((entry.path, f"{prefix}{entry.name}/"))


def _take(entry: os.DirEntry[str], name: str, found: _Found) -> bool:
    """Note what an entry of a folder is; whether it is a folder to look into."""
    lower = entry.name.lower()
    suffix = os.path.splitext(lower)[1]
    try:
        is_folder, problem = entry.is_dir(), ""
        if not is_folder and suffix in MASK_SUFFIXES and not entry.is_file():
            problem = not_a_file(os.stat(entry.path).st_mode)
    except FileNotFoundError:  # a link to nothing, whose reader will say so
        is_folder, problem = False, ""
    except OSError as reason:
        is_folder, problem = False, cannot_be_opened(reason)
    junk = lower in (_JUNK_FOLDERS if is_folder else _JUNK_NAMES) or lower.endswith(_JUNK_ENDINGS)
    if junk or lower.startswith("."):
        found.skipped.append(name + ("/" if is_folder else ""))
        return False
    if problem:
        found.refused.append((name, problem))
    elif not is_folder and suffix in MASK_SUFFIXES:
        found.files.append((entry.path, name))
    elif not is_folder and entry.name == RECEIPT_NAME:
        found.written += [name.rpartition("/")[0]] * ("/" in name)
    elif not is_folder:
        found.others[suffix] = found.others.get(suffix, 0) + 1
    return is_folder


def _take_named(path: str, name: str, found: _Found) -> None:
    """Note what a path is that was asked for, and is no folder."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            found.files.append((path, name))
        else:
            found.refused.append((name, not_a_file(mode)))
    except OSError as problem:
        if os.path.lexists(path):
            found.refused.append((name, cannot_be_opened(problem)))
        else:
            found.missing.append(path)

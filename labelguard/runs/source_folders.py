"""Where the sources of a rewrite lie, by whatever way they are reached: nothing is written there, and nothing there is remapped twice."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from labelguard.errors import UsageError
from labelguard.files.find import RECEIPT_NAME, FileListing
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.output_folder import Identity, identity_of
from labelguard.files.receipt import read_receipt


def refuse_common_folder(out: str, listing: FileListing) -> None:
    """Refuse an output that lies in a folder that was looked through for sources, or holds one.

    A listing follows links, so folders are compared by what they are and not by their paths.

    Raises
    ------
    UsageError
        When it does.
    """
    there = os.path.realpath(out)
    looked_through = dict(_identities(listing.folders))
    for identity, _ in _identities(_lineage(there)):
        if identity in looked_through:
            raise UsageError(f"The output '{out}' lies in the source '{looked_through[identity]}'; choose a folder elsewhere (--out DIR).")
    for folder in listing.folders:
        if there in _lineage(os.path.realpath(folder)):
            raise UsageError(f"The source '{folder}' lies in the output '{out}'; choose a folder elsewhere (--out DIR).")


def refuse_second_remap(source: str, files: Iterable[str] = (), *, of_colors: bool = False) -> None:
    """Refuse sources whose receipt says that their ids were moved before: twice by -1 is a silent bug; and those that are not finished.

    Parameters
    ----------
    source
        The file or folder that is read.
    files
        The files whose ids are to be moved; the nearest receipt in or above the folder of each counts.
    of_colors
        Whether it is colors that are to become ids: a folder in which they have is refused as well.

    Raises
    ------
    IncompleteError
        When a receipt is damaged.
    UsageError
        When ids were moved before, or a run has not finished moving them.
    """
    here = os.path.realpath(source)
    folders = {here, *_real_folders(tuple(files))}
    above = {place for folder in folders for place in _lineage(folder)}
    for place in sorted(above):
        if os.path.lexists(os.path.join(place, JOURNAL_NAME)):
            raise UsageError(f"'{_meant(source, here, place)}' is what a run has written that was broken off: "
                             f"'{os.path.join(place, JOURNAL_NAME)}' says so. Finish that first (resume=True, --resume), or say that you "
                             "want its ids moved as they are: again=True (--again).")
    receipts = {place: read_receipt(place) for place in sorted(above) if os.path.lexists(os.path.join(place, RECEIPT_NAME))}
    for folder in sorted(folders) if receipts else ():
        place = next((place for place in _lineage(folder) if place in receipts), "")
        receipt = receipts.get(place)
        if receipt is not None and of_colors and "ColorsToIds(" in receipt.stages:
            raise UsageError(f"'{_meant(source, here, place)}' holds ids, as '{os.path.join(place, RECEIPT_NAME)}' says: its colors were "
                             "made ids before. If it holds colors all the same, say so: again=True (--again).")
        if receipt is not None and receipt.remaps:
            raise UsageError(f"'{_meant(source, here, place)}' was remapped before, as '{os.path.join(place, RECEIPT_NAME)}' says. Doing "
                             "it again would move the ids again; if that is what you want, say so: again=True (--again).")


def _meant(source: str, here: str, place: str) -> str:
    """What to call what a folder's receipt covers: the source, or a folder within it."""
    return source if place in _lineage(here) else place


def _real_folders(files: Collection[str]) -> Iterator[str]:
    """The folders in which files lie, links resolved; of a link, that of what it leads to."""
    yield from map(os.path.realpath, {os.path.dirname(path) or "." for path in files})
    yield from {os.path.dirname(os.path.realpath(path)) for path in files if os.path.islink(path)}


def _lineage(path: str) -> Iterator[str]:
    """A path and all that lie above it."""
    yield path
    while (above := os.path.dirname(path)) != path:
        path = above
        yield path


def _identities(folders: Iterable[str]) -> Iterator[tuple[Identity, str]]:
    """Which folders these are, as far as they exist."""
    for folder in folders:
        with suppress(OSError):
            yield identity_of(os.stat(folder)), folder

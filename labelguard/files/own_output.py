"""Folders that labelguard wrote from masks beside them: a scan of both would count every mask twice."""

from __future__ import annotations

import os
from dataclasses import replace

from labelguard.errors import UnreadableMaskError
from labelguard.facts.digest import digest_in_receipt
from labelguard.files.find import FileListing
from labelguard.files.read import read_bytes
from labelguard.files.receipt import WrittenFile, read_receipt

_LOOKED_UP = 8  # sources of a receipt; a folder that holds all of them is the source
_ENDS = ("-remapped", "-resized")  # of folders that nobody has named


def without_own_output(listing: FileListing) -> tuple[FileListing, dict[str, str]]:
    """A listing without the folders that were written from others in it, and for each of these folders the one that it was written from.

    The masks in them become its `left_out`.

    A folder stays where what it was written from is not in the listing: it may have taken the place of its source.

    Raises
    ------
    IncompleteError
        When a receipt cannot be opened, or is damaged.
    """
    if not listing.written or len(listing.paths) != 1:
        return listing, {}
    names = {name for _, name in listing.files}
    source_of = {}
    for folder in listing.written:
        source = _source(folder, listing.root, names)
        if source is not None:
            source_of[folder] = source
    starts = tuple(f"{folder}/" for folder in source_of)
    kept = tuple(entry for entry in listing.files if not entry[1].startswith(starts)) if starts else listing.files
    own = tuple(entry for entry in listing.files if entry[1].startswith(starts)) if starts else ()
    return (replace(listing, files=kept, left_out=own), source_of) if kept else (listing, {})


def _source(folder: str, root: str, names: set[str]) -> str | None:
    """The folder that another was written from; None where it is not there any more.

    Other folders may hold files of the same names, images above all. So one of the files has to be what the receipt says it was; or, where
    all were changed since, the name of the output has to be made of that of the folder, as it is where none is chosen.
    """
    receipt = read_receipt(os.path.join(root, folder))
    records = [*receipt.written().values()][:_LOOKED_UP] if receipt is not None else []
    if not records:
        return None
    first = records[0].source
    places = [name.removesuffix(first) for name in names if name == first or name.endswith(f"/{first}")]
    places = [place for place in places if not place.startswith(f"{folder}/") and all(place + record.source in names for record in records)]
    made_of = {f"{folder.removesuffix(end)}/" for end in _ENDS if folder.endswith(end)}
    for place in sorted(places, key=lambda place: (place not in made_of, place)):
        if place in made_of or any(_holds(os.path.join(root, place, record.source), record) for record in records):
            return place.rstrip("/")
    return None


def _holds(path: str, record: WrittenFile) -> bool:
    """Whether a file is what another was written from."""
    try:
        return digest_in_receipt(read_bytes(path)) == record.source_digest
    except UnreadableMaskError:
        return False

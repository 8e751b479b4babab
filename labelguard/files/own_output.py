"""Folders that labelguard wrote from masks beside them: a scan of both would count every mask twice."""

from __future__ import annotations

import os
from dataclasses import replace

from labelguard.files.find import FileListing
from labelguard.files.receipt import read_receipt

_LOOKED_UP = 8  # sources of a receipt; a folder that holds all of them is the source


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
    """The folder that another was written from; None where it is not there any more."""
    receipt = read_receipt(os.path.join(root, folder))
    sources = [str(record.get("source")) for record in receipt.records.values()][:_LOOKED_UP] if receipt is not None else []
    if not sources:
        return None
    ends = sorted(name for name in names if name == sources[0] or name.endswith(f"/{sources[0]}"))
    for found in ends:
        place = found.removesuffix(sources[0])
        if not f"{place}".startswith(f"{folder}/") and all(place + source in names for source in sources):
            return place.rstrip("/")
    return None

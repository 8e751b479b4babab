"""What an earlier run has left in an output folder: whether it was made from these sources, and what no longer has one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.facts.digest import digest_in_receipt
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.read import read_bytes
from labelguard.files.receipt import WrittenFile
from labelguard.runs.write_plan import WritePlan
from labelguard.text import count, listed


def check_same_sources(files: Mapping[str, WrittenFile], plan: WritePlan) -> None:
    """Refuse to go on with a finished folder, whose receipt does not say where its sources lay, if none of them is to be found.

    Raises
    ------
    IncompleteError
        When no source is what any of the files was made from.
    """
    paths = {name: path for path, name in plan.listing.files}
    if files and not any(_digest(paths.get(file.source)) == file.source_digest for file in files.values()):
        raise IncompleteError(f"'{plan.out}' is finished, and was made from other masks: no file of '{plan.source}' is one that its "
                              "receipt names. Choose another folder with --out.")


def lying_in(out: str) -> Iterator[str]:
    """The names of the files in an output folder that are neither labelguard's own nor hidden; no link is followed."""
    for folder, _, names in os.walk(out):
        inner = os.path.relpath(folder, out).replace(os.sep, "/")
        for name in names:
            if not name.startswith(".") and not (inner == "." and name == RECEIPT_NAME):
                yield name if inner == "." else f"{inner}/{name}"


def remarks_on(changed: Collection[str], left: Collection[str], strangers: Collection[str], out: str) -> tuple[str, ...]:
    """What whoever resumes a run should know, in sentences.

    Parameters
    ----------
    changed
        The sources that are not what they were.
    left, strangers
        The files that were not written anew: those that the earlier run has recorded, and others.
    out
        The folder that they lie in.
    """
    remarks = []
    if changed:
        remarks.append(f"{count(len(changed), 'source has', 'sources have')} changed since the earlier run, and what was written from "
                       f"{'it' if len(changed) == 1 else 'them'} was written anew: {listed(changed)}.")
    if left:
        remarks.append(f"{count(len(left), 'file')} of the earlier run {'lies' if len(left) == 1 else 'lie'} in '{out}' whose source is "
                       f"gone or refused now: {listed(left)}. Nothing was removed, and the receipt does not name what is left over.")
    if strangers:
        remarks.append(f"{count(len(strangers), 'file')} {'lies' if len(strangers) == 1 else 'lie'} in '{out}' that this run has not "
                       f"written and no record names: {listed(strangers)}. Nothing was removed, and the receipt does not name "
                       f"{'it' if len(strangers) == 1 else 'them'}.")
    return tuple(remarks)


def _digest(path: str | None) -> str:
    try:
        return "" if path is None else digest_in_receipt(read_bytes(path))
    except UnreadableMaskError:
        return ""

"""Receipts: what a folder of written masks was made from, file by file.

A receipt holds no time and no machine, so that the same work leaves the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labelguard._version import __version__
from labelguard.errors import IncompleteError
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.write import write_whole

FILE_NAME = RECEIPT_NAME


@dataclass(frozen=True)
class WrittenFile:
    """One written file.

    Parameters
    ----------
    name, source
        The file and what it was made from, relative to their folders.
    digest, source_digest
        Digests of the two files' bytes.
    before, after
        Pixels of each id, as texts to counts, since JSON has no other keys.
    """

    name: str
    source: str
    digest: str
    source_digest: str
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Provenance:
    """What was done to every file of a folder.

    Parameters
    ----------
    command
        ``remap``, ``resize`` or ``run``.
    stages
        The ``repr`` of the stage, which builds it again.
    remaps
        Whether ids were moved, so that doing it again would move them again.
    num_classes, ignore_index
        What the ids of the result mean.
    table
        Where each id that was met has gone, where ids were moved; filled in once all files are done.
    """

    command: str
    stages: str
    remaps: bool
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    table: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        return {**asdict(self), "ignore_index": list(self.ignore_index)}


@dataclass(frozen=True)
class Receipt:
    """A receipt that was read.

    Parameters
    ----------
    stages
        The ``repr`` of the stage that all files went through.
    remaps
        Whether that moved ids.
    digests
        The digest of each written file, by its name.
    """

    stages: str
    remaps: bool
    digests: Mapping[str, str]


def write_receipt(folder: str, provenance: Provenance, written: Iterable[WrittenFile]) -> None:
    """Write the receipt of a folder.

    Raises
    ------
    IncompleteError
        When the folder cannot be written to.
    """
    files = {file.name: {key: value for key, value in vars(file).items() if key != "name"}
             for file in sorted(written, key=lambda file: file.name)}
    text = json.dumps({"labelguard": __version__, **provenance.to_dict(), "files": files}, indent=1, sort_keys=False)
    write_whole(os.path.join(folder, FILE_NAME), text.encode("utf-8", "surrogateescape") + b"\n")


def read_receipt(folder: str | os.PathLike[str]) -> Receipt | None:
    """The receipt that lies in a folder; None where there is none.

    Raises
    ------
    IncompleteError
        When it is damaged.
    """
    path = Path(folder, FILE_NAME)
    try:
        content = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        digests = {str(name): str(file["digest"]) for name, file in content["files"].items()}
        return Receipt(str(content["stages"]), bool(content["remaps"]), digests)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as problem:
        raise IncompleteError(f"The receipt '{path}' is damaged ({type(problem).__name__}: {problem}). Remove it if you know what the "
                              "files beside it are.") from None


def find_receipt(source: str) -> tuple[Path, Receipt] | None:
    """The receipt that covers a file or folder, and where it lies: its own, or one in a folder above it."""
    start = Path(source).resolve()
    for folder in (start, *start.parents):
        if folder.is_dir() and (receipt := read_receipt(folder)) is not None:
            return folder / FILE_NAME, receipt
    return None

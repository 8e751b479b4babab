"""Receipts: what a folder of written masks was made from, file by file.

A receipt holds no time and no machine, so that the same work leaves the same bytes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from labelguard._version import __version__
from labelguard.errors import IncompleteError, UnreadableMaskError
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.output_folder import OutputFolder
from labelguard.files.read import read_bytes

FILE_NAME = RECEIPT_NAME

_ID = re.compile("-?[0-9]{1,20}")
_MOST_PIXELS = 1 << 63


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

    @classmethod
    def of(cls, record: object) -> WrittenFile | None:
        """What a journal or a receipt records; None where it is not what labelguard writes."""
        if not isinstance(record, dict) or record.keys() != cls.__dataclass_fields__.keys():
            return None
        texts = all(isinstance(record[key], str) for key in ("name", "source", "digest", "source_digest"))
        return cls(**record) if texts and _are_counts(record["before"]) and _are_counts(record["after"]) else None


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
    part
        Which files that was, where not all; the others are copies of their sources. Empty, and not written, where it was all.
    """

    command: str
    stages: str
    remaps: bool
    num_classes: int | None = None
    ignore_index: tuple[int, ...] = ()
    table: dict[str, int] = field(default_factory=dict)
    part: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        values = {**asdict(self), "ignore_index": list(self.ignore_index)}
        return values if self.part else {key: value for key, value in values.items() if key != "part"}


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
    records
        What else it says of each file, as it stands there.
    part
        Which of the files went through the stage, where not all did; see `Provenance`.
    version
        The version of labelguard that wrote it, as it stands there.
    """

    stages: str
    remaps: bool
    digests: Mapping[str, str]
    records: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False, compare=False)
    part: str = ""
    version: object = field(default=None, compare=False)

    def written(self) -> dict[str, WrittenFile]:
        """The written files by their names, as far as their records are what labelguard writes."""
        files = (WrittenFile.of({"name": name, **record}) for name, record in self.records.items())
        return {file.name: file for file in files if file is not None}


def write_receipt(folder: OutputFolder, provenance: Provenance, written: Iterable[WrittenFile]) -> None:
    """Write the receipt of a folder, and bring it to the disk.

    Raises
    ------
    IncompleteError
        When the folder cannot be written to.
    """
    files = {file.name: {key: value for key, value in vars(file).items() if key != "name"}
             for file in sorted(written, key=lambda file: file.name)}
    text = indented({"labelguard": __version__, **provenance.to_dict(), "files": files})
    folder.write(FILE_NAME, text.encode("utf-8", "surrogateescape") + b"\n", lasting=True)


def indented(values: Mapping[str, Any], level: int = 0) -> str:
    """What ``json.dumps(values, indent=1)`` gives; that is encoded in Python, ten times slower than what has no indent."""
    inner, outer = f"\n{' ' * (level + 1)}", f"\n{' ' * level}"
    if not values:
        return "{}"
    if all(isinstance(value, int | str) for value in values.values()):
        lines = json.dumps(values, separators=("," + inner, ": "))[1:-1]
    else:
        lines = ("," + inner).join(f"{json.dumps(key)}: {_nested(value, level + 1)}" for key, value in values.items())
    return f"{{{inner}{lines}{outer}}}"


def _nested(value: Any, level: int) -> str:
    return indented(value, level) if isinstance(value, dict) else json.dumps(value, indent=1).replace("\n", f"\n{' ' * level}")


def read_receipt(folder: str | os.PathLike[str]) -> Receipt | None:
    """The receipt that lies in a folder; None where there is none.

    Raises
    ------
    IncompleteError
        When it cannot be opened, or is damaged.
    """
    path = os.path.join(folder, FILE_NAME)
    if not os.path.lexists(path):
        return None
    try:
        content = json.loads(read_bytes(path).decode("utf-8", "surrogateescape"))
    except UnreadableMaskError as problem:
        raise IncompleteError(f"The receipt '{path}' {problem}. It says what was done to the files beside it: make it readable, or "
                              "remove it if you know what they are.") from None
    except (ValueError, RecursionError):
        content = None
    receipt = _receipt_of(content)
    if receipt is None:
        raise IncompleteError(f"The receipt '{path}' is damaged: it is not what labelguard writes. Remove it if you know what the files "
                              "beside it are.")
    return receipt


def _receipt_of(content: object) -> Receipt | None:
    """What a receipt says; None where that is not what labelguard writes."""
    if not isinstance(content, dict):
        return None
    stages, remaps, records, part = content.get("stages"), content.get("remaps"), content.get("files"), content.get("part", "")
    if not isinstance(stages, str) or not isinstance(part, str) or not isinstance(remaps, bool) or not isinstance(records, dict):
        return None
    if not all(isinstance(record, dict) and isinstance(record.get("digest"), str) for record in records.values()):
        return None
    return Receipt(stages, remaps, {name: record["digest"] for name, record in records.items()}, records, part,
                   content.get("labelguard"))


def _are_counts(pixels: object) -> bool:
    """Whether these are pixels of ids: texts to counts."""
    return isinstance(pixels, dict) and all(_ID.fullmatch(label) and type(number) is int and 0 <= number < _MOST_PIXELS
                                            for label, number in pixels.items())

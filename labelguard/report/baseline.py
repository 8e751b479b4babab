"""Baseline: the findings that are known, in a file that is kept beside the data; a scan that is held against it fails on others only."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labelguard.errors import UsageError
from labelguard.finding import Finding, Severity
from labelguard.spec.argument_checks import StrPath, as_int, checked_path
from labelguard.text import reason

BASELINE_KEY = "labelguard-baseline"  # its value is the version of the format
BASELINE_VERSION = 1
_LARGEST = 512 << 20  # bytes: millions of findings
_AGAIN = "remove it and write it anew with --write-baseline"


class Mark(NamedTuple):
    """What a finding is known by. It does not depend on the machine, the order of files, the workers, or how a sentence is worded.

    Parameters
    ----------
    code
        The check.
    subject
        What `path` names: ``"mask"`` or ``"image"``.
    path
        The file; a finding about the set has one mark for each of its files. Empty where there is none.
    split
        The split of a finding without a file; else empty, since the path begins with it.
    ids
        The label ids concerned.
    """

    code: str
    subject: str
    path: str
    split: str
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """How often a mark is known, with the name of its check and the worst severity; what has become worse is not known."""

    name: str
    severity: Severity
    count: int


def places(finding: Finding) -> Collection[str | None]:
    """The files by which a finding is known; None alone where it is about the set: what is nowhere, is in none of its files."""
    nowhere = finding.path is None and (finding.pixels == 0 or not finding.files)
    return (None,) if nowhere else finding.concerns


def mark_of(finding: Finding, file: str | None) -> Mark:
    """The mark of a finding in one of its `places`."""
    return Mark(finding.code, finding.subject, file or "", (finding.split or "") if file is None else "", tuple(sorted(finding.ids)))


@dataclass(frozen=True)
class Baseline:
    """The findings that are known.

    Parameters
    ----------
    name
        The file, as the user wrote it.
    findings
        What is known of each mark.
    """

    name: str = ""
    findings: Mapping[Mark, Known] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many findings are known; one about the set counts once for each file."""
        return sum(known.count for known in self.findings.values())


def read_baseline(path: StrPath) -> Baseline:
    """Read a baseline.

    Raises
    ------
    UsageError
        When it is not there, cannot be read, or was damaged.
    """
    name = os.fspath(checked_path("baseline", path))
    try:
        with open(name, "rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise UsageError(f"The baseline '{name}' does not exist; write it with --write-baseline {name}.", argument="baseline") from None
    except OSError as problem:
        raise UsageError(f"The baseline '{name}' cannot be read: {reason(problem)}.", argument="baseline") from None
    try:
        return Baseline(name, dict(_entries(data)))
    except ValueError as problem:
        raise UsageError(f"'{name}' cannot be read as a baseline: {problem}.", argument="baseline") from None


def _entries(data: bytes) -> Iterator[tuple[Mark, Known]]:
    if len(data) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST >> 20} MiB")
    if b"\n<<<<<<< " in data or b"\n>>>>>>> " in data:
        raise ValueError(f"it holds the marks of a merge that was not finished; keep the lines of both sides, or {_AGAIN}")
    try:
        values = json.loads(data.decode())
    except json.JSONDecodeError as problem:
        raise ValueError(f"line {problem.lineno} is damaged ({problem.msg.lower()}); restore it, or {_AGAIN}") from None
    except (RecursionError, UnicodeDecodeError):
        raise ValueError("it is not JSON") from None
    version = values.get(BASELINE_KEY) if isinstance(values, dict) else None
    if as_int(version) is None:
        raise ValueError(f"it does not begin with \"{BASELINE_KEY}\"; write one under another name, with --write-baseline")
    if version != BASELINE_VERSION:
        raise ValueError(f"its format is version {version}, and this labelguard knows version {BASELINE_VERSION}; use the labelguard that "
                         "wrote it")
    if not isinstance(values.get("findings"), list):
        raise ValueError(f"'findings' is not a list; restore it, or {_AGAIN}")
    for number, entry in enumerate(values["findings"], 1):
        try:
            yield _entry(entry)
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"finding {number} is damaged: {json.dumps(entry)[:200]}; restore it, or {_AGAIN}") from None


def _entry(entry: dict[str, Any]) -> tuple[Mark, Known]:
    """One finding; whatever is not as it was written raises."""
    path, ids, count = entry["path"], tuple(entry.get("ids", ())), entry.get("count", 1)
    texts = (entry["code"], entry.get("subject", "mask"), "" if path is None else path, entry.get("split", ""))
    whole = all(as_int(number) is not None for number in (*ids, count))
    if not all(isinstance(text, str) for text in (*texts, entry["name"])) or not whole or count < 1:
        raise ValueError
    return Mark(*texts, tuple(sorted(ids))), Known(entry["name"], Severity(entry["severity"]), count)

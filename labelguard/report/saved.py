"""A report of a scan that was written as JSON, read back: what a later one is compared with."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelguard.errors import UsageError
from labelguard.finding import Finding, Fix, Severity, Subject
from labelguard.spec.argument_checks import StrPath
from labelguard.text import reason

_INSTEAD = "'labelguard scan' writes one with --report NAME.json"


@dataclass(frozen=True)
class SavedReport:
    """What a report of a scan says; what older versions do not say is None.

    Parameters
    ----------
    name
        The file, as the user wrote it.
    version
        Of the labelguard that wrote it.
    complete
        Whether the scan came to its end.
    files, unreadable, pixels
        Number of masks, of those that could not be read, and of pixels of all others.
    ids
        Pixels of each id.
    files_with
        Number of files that hold each id.
    masks
        A digest of the facts of each mask.
    judged
        The codes of the checks that were judged.
    left_out
        How many masks were not selected.
    num_classes, ignore_index, source
        What the ids mean, and whether that was declared or inferred.
    findings
        Everything that was found.
    """

    name: str
    version: str
    complete: bool
    files: int
    unreadable: int
    pixels: int
    ids: Mapping[int, int]
    files_with: Mapping[int, int] | None
    masks: Mapping[str, str] | None
    judged: frozenset[str] | None
    left_out: int
    num_classes: int | None
    ignore_index: tuple[int, ...]
    source: str
    findings: tuple[Finding, ...]


def read_report(path: StrPath) -> SavedReport:
    """Read the JSON, or the JSON lines, of a scan.

    Raises
    ------
    UsageError
        When the file cannot be read, or is not the report of a scan.
    """
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise UsageError(f"'{name}' is not a JSON report of labelguard; {_INSTEAD}.") from None
    except OSError as problem:
        raise UsageError(f"'{name}' cannot be read: {reason(problem)}.") from None
    try:
        whole = _whole(text)
    except (ValueError, RecursionError):
        raise UsageError(f"'{name}' is not a JSON report of labelguard, or was cut off; {_INSTEAD}.") from None
    if not isinstance(whole.get("labelguard"), str) or "command" not in whole:
        raise UsageError(f"'{name}' is not a report of labelguard; {_INSTEAD}.")
    if whole["command"] != "scan":
        raise UsageError(f"'{name}' is of labelguard {whole['command']}, and only scans are compared; {_INSTEAD}.")
    try:
        return _saved(name, whole)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        raise UsageError(f"'{name}' is a damaged report of labelguard; {_INSTEAD}.") from None


def _whole(text: str) -> dict[str, Any]:
    """The object itself, or the last line with the findings of those before it."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        *findings, whole = map(json.loads, text.splitlines())
        whole = {**whole, "findings": findings}
    if not isinstance(whole, dict):
        raise ValueError
    return whole


def _saved(name: str, whole: dict[str, Any]) -> SavedReport:
    dataset, spec, summary = whole["dataset"], whole["spec"], whole["summary"]
    findings = tuple(map(_finding, whole.get("findings", ())))
    if len(findings) < sum(summary.values()):
        raise ValueError  # lines were lost
    with_ids, masks, judged = dataset.get("files_with"), whole.get("masks"), whole.get("judged")
    return SavedReport(
        name, whole["labelguard"], bool(whole["complete"]), int(dataset["files"]), int(dataset["unreadable"]), int(dataset["pixels"]),
        _counts(dataset["ids"]), None if with_ids is None else _counts(with_ids), None if masks is None else dict(masks),
        None if judged is None else frozenset(judged), int(dataset.get("left_out", 0)),
        None if spec["num_classes"] is None else int(spec["num_classes"]), tuple(map(int, spec["ignore_index"])), str(spec["source"]),
        findings)


def _counts(values: Mapping[str, int]) -> dict[int, int]:
    counts = {int(label): int(number) for label, number in values.items()}
    if any(number < 0 for number in counts.values()):
        raise ValueError
    return counts


def _subject(name: str) -> Subject:
    if name not in ("mask", "image"):
        raise ValueError
    return "image" if name == "image" else "mask"


def _finding(values: dict[str, Any]) -> Finding:
    path, first, box = values["path"], values["first"], values["box"]
    files = [str(each) for each in values.get("files", ())]
    commands = [tuple(map(str, command)) for command in values.get("commands", ())]
    fix = Fix.command(*commands[0], safe=bool(values.get("safe"))) if len(commands) == 1 else Fix.advice(str(values["fix"]))
    return Finding(
        str(values["code"]), str(values["name"]), Severity(values["severity"]), str(values["message"]),
        path=None if path is None else str(path), files=files, ids=tuple(map(int, values["ids"])),  # type: ignore[arg-type]
        pixels=None if values["pixels"] is None else int(values["pixels"]), first=None if first is None else (int(first[0]), int(first[1])),
        box=None if box is None else (int(box[0]), int(box[1]), int(box[2]), int(box[3])), evidence=tuple(map(str, values["evidence"])),
        fix=fix if str(fix) == values["fix"] else Fix.advice(str(values["fix"])), subject=_subject(values["subject"]),
        split=None if values.get("split") is None else str(values["split"]), accepted=str(values.get("accepted") or ""),
        known=bool(values.get("known", False)))

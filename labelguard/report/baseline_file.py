"""The file of a baseline: one line for each finding, written whole or not at all, and never in the place of anything else."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from labelguard.errors import IncompleteError, UsageError
from labelguard.files.find import RECEIPT_NAME
from labelguard.files.whole_file import OWN_PREFIX, whole_file, writable_folder
from labelguard.finding import Finding, Severity
from labelguard.report.baseline import BASELINE_KEY, BASELINE_VERSION, Baseline, Known, Mark, mark_of, places
from labelguard.spec.argument_checks import StrPath, checked_path
from labelguard.text import reason

_HEAD = f'{{\n  "{BASELINE_KEY}": '.encode()


def baseline_of(findings: Iterable[Finding], name: str, kept: Mapping[Mark, Known]) -> Baseline:
    """A baseline of all findings that nobody has accepted, and of `kept` ones."""
    counts, severities = Counter[Mark](), dict[Mark, tuple[str, Severity]]()
    for finding in findings:
        for file in () if finding.accepted else places(finding):
            mark = mark_of(finding, file)
            counts[mark] += 1
            before = severities.get(mark, (finding.name, finding.severity))[1]
            severities[mark] = finding.name, max(before, finding.severity, key=lambda severity: severity.rank)
    return Baseline(name, {**kept, **{mark: Known(*severities[mark], count) for mark, count in counts.items()}})


def write_whole(baseline: Baseline) -> None:
    """Write a baseline, whole or not at all: one line for each mark, in the order of codes and files.

    Raises
    ------
    IncompleteError
        When it cannot be written, or something else lies in its place.
    """
    try:
        with whole_file(os.path.realpath(baseline.name), may_become_baseline) as file:
            file.writelines(_lines(baseline))
    except OSError as problem:
        raise IncompleteError(f"The baseline cannot be written to '{baseline.name}': {reason(problem)}.") from None


def _lines(baseline: Baseline) -> Iterator[str]:
    yield f'{{\n  "{BASELINE_KEY}": {BASELINE_VERSION},\n  "findings": ['
    for number, (mark, known) in enumerate(sorted(baseline.findings.items())):
        code, subject, path, split, ids = mark
        values: dict[str, Any] = {"code": code, "name": known.name, "severity": known.severity.value, "path": path or None}
        values |= {"ids": list(ids)} if ids else {}
        values |= {"subject": subject} if subject != "mask" else {}
        values |= {"split": split} if split else {}
        values |= {"count": known.count} if known.count > 1 else {}
        yield f"{',' if number else ''}\n    {json.dumps(values)}"
    yield "\n  ]\n}\n" if baseline.findings else "]\n}\n"


def check_baseline_place(path: StrPath) -> None:
    """Make sure, before there is anything to lose, that a baseline can be written.

    Raises
    ------
    IncompleteError
        When there is no such folder, or it cannot be written to.
    UsageError
        When something would be lost that is no baseline, or the name is that of another file.
    """
    name = os.fspath(checked_path("baseline", path))
    place = os.path.realpath(name)
    base = os.path.basename(place)
    if not base.endswith(".json") or base == RECEIPT_NAME or base.startswith(OWN_PREFIX):
        raise UsageError(f"'{name}' cannot be the name of a baseline; choose one that ends with .json, such as labelguard-baseline.json.")
    if not may_become_baseline(place):
        raise UsageError(f"'{name}' is not a baseline of labelguard; remove it or choose another name.")
    writable_folder("The baseline", name, place)


def may_become_baseline(place: str) -> bool:
    """Whether nothing is lost if a baseline takes this place: nothing lies there, or an empty file, or a baseline; never a link."""
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return False
        with open(place, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return not head or head.replace(b"\r\n", b"\n").startswith(_HEAD)


def holds_something(path: StrPath) -> bool:
    """Whether there is a file that is not empty."""
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False

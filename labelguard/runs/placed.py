"""Findings of a split among those of other splits: the names of its files then begin with its own."""

from __future__ import annotations

from dataclasses import replace

from labelguard.finding import FileList, Finding


def placed(finding: Finding, split: str) -> Finding:
    """A finding of a split, with the name of the split."""
    return replace(finding, split=split, path=None if finding.path is None else f"{split}/{finding.path}",
                   files=FileList([f"{split}/{path}" for path in finding.files]))


def alone(finding: Finding, split: str) -> Finding:
    """The same finding, as if there were no other split."""
    start = len(split) + 1
    return replace(finding, split=None, path=None if finding.path is None else finding.path[start:],
                   files=FileList([path[start:] for path in finding.files]))

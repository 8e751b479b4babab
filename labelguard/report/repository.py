"""Where files lie that findings name, seen from the root of their repository: so services call them that show one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from labelguard.finding import Finding
from labelguard.report.base import Report


@dataclass(frozen=True)
class Repository:
    """The folder that paths are told relative to.

    Parameters
    ----------
    root
        Absolute: the repository of the current folder or of the masks, or the current folder where there is none.
    """

    root: str

    def relative(self, path: str) -> str | None:
        """A path from the root, with forward slashes; None where it lies elsewhere. Links keep their names."""
        path, root = os.path.abspath(path), self.root.rstrip(os.sep) + os.sep
        return "." if path == self.root else path[len(root):].replace(os.sep, "/") if path.startswith(root) else None


def repository_of(report: Report) -> Repository:
    """The repository of the files that a report names."""
    here = os.getcwd()
    named = next((os.path.abspath(path) for finding in report.findings for path in paths_of(report, finding)), here)
    for folder in (here, os.path.dirname(named)):
        root = _root_above(folder)
        if root and named.startswith(root.rstrip(os.sep) + os.sep):
            return Repository(root)
    return Repository(here)


def paths_of(report: Report, finding: Finding) -> Iterator[str]:
    """Where the files lie that a finding concerns."""
    return (report.path_of(name, finding.subject) for name in finding.concerns)


def _root_above(folder: str) -> str:
    """The nearest folder that holds a .git, a folder or, in work trees and submodules, a file; empty where none does."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder

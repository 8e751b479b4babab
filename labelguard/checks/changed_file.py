"""A file differs from what the receipt of its folder records.

What it does
------------
Applies to folders with a `labelguard-receipt.json`, as written by `labelguard remap`, `resize` and `run`. Reports files whose content
differs from what was recorded, files that are missing, and files that were added.

Why is this bad?
----------------
The receipt proves what the ids mean: which table was applied, once, to which files. A file that an editor has saved again, or that was
copied in from elsewhere, may hold other ids, and nobody would know.

How to fix
----------
Write the folder again from its source. If the change was intended, remove the receipt and scan the folder as a new one.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Severity
from labelguard.text import count, listed

rule = Rule("LG012", "changed-file", Severity.WARNING, "A file differs from what the receipt of its folder records.")
rule.module = __name__

_FIX = "Write the folder again from its source; if the change was intended, remove the receipt."


def changed(path: str) -> Finding:
    """The finding for a file whose digest differs from the receipt's."""
    return rule.finding("Its content differs from what the receipt of this folder records.", path=path, fix=_FIX)


def strays(named: set[str], there: set[str]) -> list[Finding]:
    """The findings for files that the receipt names and that are gone, and for those that it does not name."""
    found = []
    for files, one, several in ((named - there, "file that the receipt names is missing", "files that the receipt names are missing"),
                                (there - named, "file is not in the receipt", "files are not in the receipt")):
        if files:
            names = tuple(sorted(files))
            found.append(rule.finding(f"{count(len(names), one, several)}: {listed(names, 3)}.", files=names, fix=_FIX))
    return found

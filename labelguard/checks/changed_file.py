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

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG012", "changed-file", Severity.WARNING, "A file differs from what the receipt of its folder records.",
            needs_facts=("receipt",))

_FIX = "Write the folder again from its source; if the change was intended, remove the receipt."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for path in data.receipt.changed:
        yield rule.finding("Its content differs from what the receipt of this folder records.", path=path, fix=_FIX)
    strays = ((data.receipt.missing, "file that the receipt names is missing", "files that the receipt names are missing"),
              (data.receipt.added, "file is not in the receipt", "files are not in the receipt"))
    for files, one, several in strays:
        if files:
            yield rule.finding(f"{count(len(files), one, several)}: {listed(files, 3)}.", files=files, fix=_FIX)

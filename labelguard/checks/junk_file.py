"""Hidden or junk files lie among the masks.

What it does
------------
Lists .DS_Store, ._name.png (which macOS puts beside each file on foreign disks, with the suffix of an image), Thumbs.db, unfinished
downloads, notebook checkpoints and other hidden files. labelguard skips them.

Why is this bad?
----------------
A loader that lists the folder does not. It stops at some point in an epoch with "cannot identify image file", or pairs every image with
the wrong mask because one list is longer.

How to fix
----------
Delete them, or filter them in the loader.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG010", "junk-file", Severity.NOTE, "Hidden or junk files lie among the masks.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.skipped:
        yield rule.finding(f"{count(len(data.skipped), 'hidden or junk entry', 'hidden or junk entries')} among the masks, left out here: "
                           f"{listed(data.skipped, 4)}.", files=tuple(data.skipped),
                           fix="Delete them, or make sure that the loader skips them too.")

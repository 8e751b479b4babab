"""The suffix of the file names another format than its content.

What it does
------------
Reports a JPEG called .png, a PNG called .tif, and so on, by the first bytes of the file.

Why is this bad?
----------------
Loaders choose the decoder by the suffix and fail, or do not fail, depending on the library. A JPEG called .png looks lossless and is not.

How to fix
----------
Rename the file. If the content is lossy, export it again instead (LG002).
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG008", "wrong-suffix", Severity.WARNING, "The suffix of the file names another format than its content.")


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.stored is not None and facts.stored.wrong_suffix:
        yield rule.finding(f"Called {facts.stored.wrong_suffix}, but the content is {facts.stored.format.upper()}.",
                           fix="Rename the file, or export it again in the format that its suffix promises.")

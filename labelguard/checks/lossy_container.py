"""A lossy codec has changed the ids of the mask.

What it does
------------
Reports JPEG and similar codecs, including inside TIFF and WebP, whatever the suffix of the file says.

Why is this bad?
----------------
Lossy codecs change pixel values near every edge. Ids turn into neighboring ids, and ids appear that nobody drew. Those that stay in range
train as wrong classes without any error.

How to fix
----------
Export the masks again from their source, as PNG. Saving the JPEG as PNG keeps the damage. Only a two-valued mask can be rescued, by a
threshold at the midpoint.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG002", "lossy-container", Severity.ERROR, "A lossy codec has changed the ids of the mask.", explains_no_ids=True)


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    stored = facts.stored
    if stored is None or not stored.lossy:
        return
    what = stored.format.upper()
    if stored.codec and stored.codec.upper() != what:
        what += f" ({stored.codec})"
    evidence = [f"{count(len(facts.present), 'different id')}: {id_ranges(facts.present)}"] if facts.present else []
    if facts.colors is not None and not facts.colors.equal:
        colors = "color" if facts.colors.distinct == 1 else "colors"
        evidence.append(f"{facts.colors.how_many} different {colors}; is this a folder of images rather than masks?")
    yield rule.finding(f"Stored as {what}, a lossy codec: ids near edges are not what was drawn.", ids=facts.present,
                       pixels=facts.pixels, evidence=tuple(evidence),
                       fix="Export this mask again from its source, as PNG; converting the file keeps the damage.")

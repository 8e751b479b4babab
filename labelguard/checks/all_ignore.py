"""Every pixel of the mask is ignored.

What it does
------------
Reports masks in which every pixel has a declared ignore id.

Why is this bad?
----------------
The mean over no pixels is 0/0. Cross entropy gives NaN for a batch of such masks: for this mask alone, or for the smaller last batch of
an epoch. The gradient is 0, so the weights survive, but early stopping, loss scaling and logging do not.

How to fix
----------
Leave the file out, or divide by the number of valid pixels, but by at least 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges

rule = Rule("LG202", "all-ignore", Severity.ERROR, "Every pixel of the mask is ignored.", symptom_of=("LG109",))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if facts.present and all(label in spec.ignore_index for label in facts.present):
        yield rule.finding(f"Every pixel is ignored ({id_ranges(facts.present)}): a batch of such masks has no loss, only NaN.",
                           ids=facts.present, pixels=facts.pixels, fix="Leave this file out of training.")

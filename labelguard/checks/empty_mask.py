"""The mask holds nothing but background.

What it does
------------
Reports masks whose only id, apart from ignored ones, is the background: the class that is declared or named as such, else 0. Also reports
masks that hold only the one id that every mask of the set holds, since that makes it the background whatever its number.

Why is this bad?
----------------
This may be right, if the image shows no object. But failed exports and lost layers look the same, and the network then learns that the
object is not there. Dice without smoothing is 0/0 on such a mask.

How to fix
----------
Look at the images of these files. Leave out what was never annotated (`RejectEmpty` in a loader).
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG201", "empty-mask", Severity.WARNING, "The mask holds nothing but background.",
            symptom_of=("LG005", "LG009", "LG109", "LG205"))

_ENOUGH_FILES = 10
_FIX = "Look at the image: if it shows an object, annotate it or leave the pair out."


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    if len(facts.present) > 1 + len(spec.ignore_index):
        return
    kept = [label for label in facts.present if label not in spec.ignore_index]
    if len(kept) == 1 and kept[0] == spec.background_id:
        yield rule.finding(f"Holds nothing but background, {spec.name_of(kept[0])}.", ids=(kept[0],),
                           pixels=facts.count(kept[0]), fix=_FIX)


@rule.on_dataset
def check_set(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    files = data.num_exact
    everywhere = {label for label, number in data.files_with.items() if number == files and label not in spec.ignore_index}
    everywhere.discard(-1 if spec.background_id is None else spec.background_id)  # those have been found already
    if files < _ENOUGH_FILES or len(everywhere) != 1 or len(data.files_with) < 2:
        return
    label = everywhere.pop()
    for record in data.select(lambda ids: set(ids) - set(spec.ignore_index) == {label}):
        yield rule.finding(f"Holds nothing but {spec.name_of(label)}, the id that every mask of the set holds.", path=record.path,
                           ids=(label,), pixels=record.count(label), fix=_FIX)

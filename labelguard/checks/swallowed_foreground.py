"""Only one class is left once ignored ids are left out.

What it does
------------
Reports sets in which a declared ignore id covers everything but one class: mostly binary masks whose foreground is 255, under a loader
that ignores 255.

Why is this bad?
----------------
Nothing fails. The loss goes to 0, accuracy to 100 %, and the network answers "background" to everything.

How to fix
----------
Store the foreground as 1, or stop ignoring its id.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, percent

rule = Rule("LG205", "swallowed-foreground", Severity.ERROR, "Only one class is left once ignored ids are left out.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    ignored = tuple(sorted(label for label in data.files_with if label in spec.ignore_index))
    kept = [label for label in data.files_with if label not in spec.ignore_index]
    if not ignored or len(kept) != 1 or 2 * data.num_exact < len(data.records):
        return  # or most files hold no ids that can be relied on, and nothing can be said of the whole set
    pixels = sum(data.ids[label] for label in ignored)
    foreground = 1 if kept[0] == 0 else 0
    yield rule.finding(f"Only {spec.name_of(kept[0])} is left in {count(data.num_exact, 'file')} once {id_ranges(ignored)} is ignored: "
                       "there is nothing to learn.", ids=ignored, pixels=pixels, explains=(foreground, kept[0]),
                       files=data.files(),
                       evidence=(f"{percent(pixels, data.pixels)} of all pixels are ignored",),
                       fix=f"If {ignored[0]} is the foreground, do not declare that it is ignored, and scan again. If it is void, look "
                           "at the images: where they show an object, it was lost in an export.")

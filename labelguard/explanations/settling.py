"""What would settle it: the question that tells two accounts of a set apart, to be answered by whoever knows the masks."""

from __future__ import annotations

import numpy as np

from labelguard.explanations.decide import Verdict
from labelguard.explanations.explanation import UNKNOWN, VOID
from labelguard.explanations.search import OF_ITS_FILE, Account
from labelguard.facts.dataset import DatasetFacts
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count


def settling(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> str:
    """The question whose answer tells the likeliest account from the next one; empty where there is none."""
    if len(verdict.accounts) < 2:
        return ""
    return question(verdict.accounts[0], verdict.accounts[1], data, spec)


def question(first: Account, second: Account, data: DatasetFacts, spec: LabelSpec) -> str:
    """What to look at, or to find out, where two accounts differ: the id of which they say different things and that covers most."""
    one, other = first.meanings, second.meanings
    seen = first.told[0].part.seen
    parts = []
    if not spec.declared and first.num_classes != second.num_classes:
        parts.append(f"are there {first.num_classes:,} or {count(second.num_classes, 'class', 'classes')}?")
    if (OF_ITS_FILE in one) != (OF_ITS_FILE in other):
        parts.append("does an id mean the same in all files?")
    differ = (one != other) & (one != OF_ITS_FILE) & (other != OF_ITS_FILE)
    if differ.any():
        void = differ & ((one == VOID) | (other == VOID))  # the plainest question, where there is one
        differ = void if void.any() else differ
        place = np.bincount(seen.columns[differ], seen.pixels[differ]).argmax()
        at = {int(seen.rows[at]): at for at in np.flatnonzero(differ & (seen.columns == place))}
        label = seen.ids[place]
        record = max((record for record in data.select((label,)) if seen.row_of(record) in at), key=lambda each: each.count(label))
        found = at[seen.row_of(record)]
        parts.append(f"what does {label} cover in {record.path}: {_is(int(one[found]), spec)}, or {_is(int(other[found]), spec)}?")
    return " ".join(f"{part[0].upper()}{part[1:]}" for part in parts)


def _is(there: int, spec: LabelSpec) -> str:
    if there == VOID:
        return "what is to be ignored"
    return "something else" if there == UNKNOWN else f"class {spec.name_of(there)}"

"""Ids went below zero and wrapped to the top of the unsigned type.

What it does
------------
Reports the traces of `label -= 1` and `label[x] = -1` on unsigned integers, which turn -1 into 255 (65535 in 16 bits) without an error:
ids at the top of the type together with empty classes, a 0 that never occurs, or 254 beside 255. The finding lists the evidence that
tells them from void labels; where it does not suffice, the id is reported as undetermined (LG103). Sentinels such as -100 have a rule of
their own (LG110).

Why is this bad?
----------------
255 is out of range and kills the run on a GPU. Or it is the ignore id: then a whole class, mostly the background, is never trained, and
no error is ever raised.

How to fix
----------
Move the ids back with the command of the finding; its merges name ids as they are now, before the shift. Then repair the code: widen
before arithmetic, as in `label.astype(np.int64) - 1`, or use a table.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._remap_command import remap_fix
from labelguard.checks._unexpected_ids import judge
from labelguard.checks._wrapped_run import RunVerdict
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import percent

rule = Rule("LG102", "uint8-wraparound", Severity.ERROR, "Ids went below zero and wrapped to the top of the unsigned type.",
            needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for verdict in judge(data, spec):
        if verdict.cause in ("shift", "moved-void", "minus-one"):
            whole = verdict.cause == "shift" and not verdict.part  # then files without a wrapped id have wrong ids all the same
            files = data.files(None if whole else verdict.ids)
            evidence = (*verdict.evidence, *[verdict.settle] * bool(verdict.settle))
            yield rule.finding(_message(verdict, data), ids=verdict.ids, files=files, evidence=evidence,
                               pixels=sum(data.ids[label] for label in verdict.ids), explains=_emptied(verdict, spec),
                               fix=_fix(verdict, data, spec))


def _message(verdict: RunVerdict, data: DatasetFacts) -> str:
    kind = f"uint{verdict.bits}"
    moved = _moved(verdict, data)
    share = percent(sum(data.ids[label] for label in moved), data.pixels)
    if verdict.cause == "minus-one":
        return f"{verdict.ids[0]} is a -1 that wrapped in {kind}: it was written over class 0 ({share} of all pixels)."
    if verdict.cause == "moved-void":
        return f"{verdict.ids[0]} is the void label {verdict.ids[0] + 1}, shifted along with the ids ({share} of all pixels)."
    wrapped = [f"{label} was {_before(label, verdict)}" for label in moved]
    return (f"The ids were shifted by -{verdict.shift} in {kind} and wrapped: {', '.join(wrapped)} ({share} of all pixels), and every "
            f"other id is {verdict.shift} too low.")


def _moved(verdict: RunVerdict, data: DatasetFacts) -> list[int]:
    """The ids that wrapped or were taken along, with those of them that pass for a declared ignore id."""
    wrapped = range((1 << verdict.bits) - verdict.shift, 1 << verdict.bits) if verdict.shift else ()
    return sorted({*verdict.ids, *(label for label in wrapped if label in data.files_with)})


def _before(label: int, verdict: RunVerdict) -> str:
    if label == verdict.void:
        return f"the void label {label + verdict.shift}"
    return str((label + verdict.shift) % (1 << verdict.bits))


def _emptied(verdict: RunVerdict, spec: LabelSpec) -> tuple[int, ...]:
    """The classes that nothing is left of."""
    if verdict.cause == "minus-one":
        return (0,)
    if verdict.cause == "shift" and spec.declared:
        return tuple(range(max(0, spec.last + 1 - verdict.shift), spec.last + 1))
    return ()


def _fix(verdict: RunVerdict, data: DatasetFacts, spec: LabelSpec) -> Fix:
    """The remap that restores the ids; safe where the classes are declared, for then only one shift fits."""
    merges = {}
    ignored = tuple(label for label in spec.ignore_index if label >= 0)  # no unsigned file holds another
    for label in _moved(verdict, data):
        if label == verdict.void:
            before = label + (verdict.shift or 1)
            ignored = ignored or (before,)
            merges[label] = before if before in ignored else ignored[-1]
        else:
            merges[label] = (label + verdict.shift) % (1 << verdict.bits) if verdict.shift else 0
    return remap_fix(data, spec, merges, spec.num_classes, ignored, shift=verdict.shift, part=verdict.part)

"""Ids went below zero and came out at the top of the type: -1 became 255, or 65535.

Looks for: the traces of `label -= 1` and of `label[x] = -1` on unsigned integers, which wrap without an error: ids at the top of the
type together with classes that are empty, a 0 that is never seen, 254 beside 255, or a known sentinel such as -100 (156 in 8 bits).
It tells them from void labels by these votes, which it prints, and says so where they do not suffice (LG103).

Hurts because: 255 is out of range and kills the run on a GPU; or it is the ignore id, and then a whole class, mostly the background,
is never trained, and no error is ever raised.

Mend it: move the ids back with the command that the finding gives. Then repair the code: widen before arithmetic, as in
`label.astype(np.int64) - 1`, or use a table.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from labelguard.checks import Rule
from labelguard.checks._beyond import Verdict, judge
from labelguard.facts import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec import LabelSpec
from labelguard.words import percent

rule = Rule("LG102", "uint8-wraparound", Severity.ERROR, "Ids went below zero and wrapped to the top of the unsigned type.")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for verdict in judge(data, spec):
        if verdict.cause in ("shift", "minus-one", "sentinel"):
            files = tuple(record.path for record in data.holding(*verdict.ids))
            yield rule.finding(_message(verdict, data), ids=verdict.ids, files=files, evidence=(*verdict.votes, *[verdict.settle] * bool(verdict.settle)),
                               pixels=sum(data.ids[label] for label in verdict.ids), explains=_emptied(verdict, spec),
                               fix=_fix(verdict, data, spec))


def _message(verdict: Verdict, data: DatasetFacts) -> str:
    kind = f"uint{verdict.bits}"
    share = percent(sum(data.ids[label] for label in verdict.ids), data.pixels)
    if verdict.cause == "sentinel":
        return f"{verdict.ids[0]} is a {verdict.sentinel} that wrapped in {kind} ({share} of all pixels)."
    if verdict.cause == "minus-one":
        return f"{verdict.ids[0]} is a -1 that wrapped in {kind}: it was written over class 0 ({share} of all pixels)."
    wrapped = [f"{label} was {_before(label, verdict)}" for label in _run(verdict)]
    return (f"The ids were shifted by -{verdict.shift} in {kind} and wrapped: {', '.join(wrapped)} ({share} of all pixels), and every "
            f"other id is {verdict.shift} too low.")


def _run(verdict: Verdict) -> range:
    """The wrapped ids, with those of them that pass for a declared ignore id."""
    return range(verdict.ids[0], 1 << verdict.bits)


def _before(label: int, verdict: Verdict) -> str:
    if label == verdict.void:
        return f"the void label {label + verdict.shift}"
    return str((label + verdict.shift) % (1 << verdict.bits))


def _emptied(verdict: Verdict, spec: LabelSpec) -> tuple[int, ...]:
    """The classes that nothing is left of."""
    if verdict.cause == "minus-one":
        return (0,)
    if verdict.cause == "shift" and spec.declared:
        return tuple(range(max(0, spec.last + 1 - verdict.shift), spec.last + 1))
    return ()


def _fix(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> str:
    """The remap that gives back what was there before."""
    options = [f"--shift {verdict.shift}"] if verdict.shift else []
    ignored = spec.ignore_index
    if verdict.cause == "sentinel":
        options.append(f"--merge {verdict.ids[0]}:ignore")
        ignored = ignored or ((1 << verdict.bits) - 1,)
    for label in _run(verdict) if verdict.cause != "sentinel" else ():
        if label == verdict.void:
            options.append(f"--merge {label}:ignore")
            ignored = ignored or (label + verdict.shift,)
        else:
            options.append(f"--merge {label}:{(label + verdict.shift) % (1 << verdict.bits) if verdict.shift else 0}")
    options += [f"--num-classes {spec.num_classes}"] * spec.declared + [f"--ignore-index {label}" for label in ignored]
    return " ".join(["labelguard remap", shlex.quote(data.root), *options])

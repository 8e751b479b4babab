"""Ids went below zero and wrapped to the top of the unsigned type.

What it does
------------
Reports the traces of `label -= 1` and `label[x] = -1` on unsigned integers, which turn -1 into 255 (65535 in 16 bits) without an error:
ids at the top of the type together with empty classes, a 0 that never occurs, or 254 beside 255. A shift is weighed against void labels
and everything else that leaves such ids; where that does not settle it, the finding says what it may be. Sentinels such as -100 have a
rule of their own (LG110).

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

from labelguard.checks._weighed import Word, said, shape_of
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec

rule = Rule("LG102", "uint8-wraparound", Severity.ERROR, "Ids went below zero and wrapped to the top of the unsigned type.",
            needs_facts=("erosion",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "shift", "minus one", "void moved"):
        moved = _moved(word)
        evidence = [word.seen(moved or word.part.ids), *(line for label in moved[:1] for line in shape_of(label, data))]
        if 0 not in data.files_with:
            evidence.append("0 is never seen in the whole set")
        shifted = word.explanation.cause == "shift"  # then files without a wrapped id have wrong ids all the same
        yield word.finding(rule, _message(word, moved, data), moved or word.part.ids, files=word.files() if shifted else None,
                           evidence=evidence, explains=_emptied(word, spec))


def _moved(word: Word) -> tuple[int, ...]:
    """The ids that wrapped, and void labels that were taken along."""
    table, cause, by = word.explanation.table, word.explanation.cause, word.explanation.amount
    if cause == "shift":
        return tuple(label for label in word.part.ids if table.get(label) not in (None, label + by) and (
            table[label] != VOID or label not in word.spec.ignore_index))
    return (by,) if cause == "minus one" else (by - 1,)


def _message(word: Word, moved: tuple[int, ...], data: DatasetFacts) -> str:
    if not moved:
        return f"The ids were shifted by -{word.explanation.amount}, and every id is {word.explanation.amount} too low."
    kind = f"uint{8 if max(moved) < 256 else 16 if max(moved) < 65536 else 32}"
    by, table = word.explanation.amount, word.explanation.table
    share = word.share(moved)
    if word.explanation.cause == "minus one":
        wrapped = f" that wrapped in {kind}" if moved[0] >= 0 else ""
        return f"{moved[0]} is a -1{wrapped}: it was written over class 0 ({share} of all pixels)."
    if word.explanation.cause == "void moved":
        return f"{moved[0]} is the void label {moved[0] + 1}, shifted along with the ids ({share} of all pixels)."
    were = [f"{label} was {f'the void label {label + by}' if table[label] == VOID else table[label]}" for label in moved]
    return (f"The ids were shifted by -{by} in {kind} and wrapped: {', '.join(were)} ({share} of all pixels), and every "
            f"other id is {by} too low.")


def _emptied(word: Word, spec: LabelSpec) -> tuple[int, ...]:
    """The classes that nothing is left of."""
    if word.explanation.cause == "minus one":
        return (0,)
    if word.explanation.cause == "shift" and spec.declared:
        return tuple(range(max(0, spec.last + 1 - word.explanation.amount), spec.last + 1))
    return ()

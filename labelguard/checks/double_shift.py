"""Zero was reduced to void twice, or without need.

What it does
------------
Words the verdict that all ids are one or two too low, and that the void label holds the former class 0, or 0 and 1; or that a table from
one public numbering to another was applied to what it had made before. The last classes are then in no file though others are common,
and void covers what a background does. Where every id is legal this is a warning at most: the last classes may simply be absent.

Why is this bad?
----------------
Nothing fails. A whole class is ignored, every name in the report belongs to the next class, and the last ones have no IoU.

How to fix
----------
Apply reduce_zero_label once, and only if 0 is not a class of its own. Files that were rewritten twice have lost the difference between
the former 0 and 1: go back to the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import CauseName
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed

rule = Rule("LG109", "double-shift", Severity.ERROR, "Zero was reduced to void twice, or without need.", needs_classes=True,
            needs_facts=("erosion",))

_CAUSES: tuple[CauseName, ...] = ("zero reduced", "reduced twice", "repeated")


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, *_CAUSES):
        message, fix = _said(word)
        void = tuple(label for label in word.part.ids if label in (word.explanation.amount, *spec.ignore_index))
        yield word.finding(rule, message, void or word.part.ids, files=word.files(), explains=tuple(range(spec.last + 1)),
                           evidence=tuple(_evidence(word, void)), fix=fix)


def _said(word: Word) -> tuple[str, str]:
    void = word.explanation.amount
    if word.explanation.cause == "zero reduced":
        return (f"Zero was reduced without need, or -1 wrapped: {void} holds the former class 0, and every other id is 1 too low.",
                "If 0 was a class, such as the background, go back to the source and do not reduce zero. If it was to be ignored, leave "
                f"it, and declare {count(word.spec.last, 'class', 'classes')} if there are no more.")
    if word.explanation.cause == "reduced twice":
        return (f"The ids were moved down by one twice: {void} holds the former 0 and 1.",
                "Go back to the source and reduce zero only once: the former 0 and 1 can no longer be told apart. If the loader does it, "
                "turn one of the two off (reduce_zero_label, do_reduce_labels).")
    return (f"{word.explanation.words[0].upper()}{word.explanation.words[1:]}: most classes have become void.",
            "Go back to the source and convert the masks once: what was made void cannot be brought back.")


def _evidence(word: Word, void: tuple[int, ...]) -> Iterator[str]:
    spec, data = word.spec, word.data
    absent = [spec.name_of(label) for label in range(spec.last + 1) if spec.is_class(label) and label not in data.files_with]
    if absent:
        yield f"never seen in {count(data.num_exact, 'file')}: {listed(absent, 12)}"
    if void:
        yield word.seen(void)
    if spec.names and spec.background_id == 0:
        yield f"class 0 is named {spec.names[0]}"

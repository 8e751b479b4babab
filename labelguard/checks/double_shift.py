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

<<<<<<< HEAD
from labelguard.checks._weighed import Word, said
=======
from labelguard.checks._weighed import said
>>>>>>> main
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
<<<<<<< HEAD
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
=======
    classes = sorted(label for label in data.files_with if spec.is_class(label))
    rest = [label for label in data.files_with if not spec.is_class(label)]
    if len(rest) != 1 or rest[0] not in TOPS or not classes or classes != list(range(len(classes))):
        return
    void, emptied, files = rest[0], spec.last + 1 - len(classes), data.num_exact
    if emptied not in (1, 2) or len(classes) < 2 or files < _SOME_FILES or (emptied == 1 and void not in spec.ignore_index):
        return
    if data.files_with[void] < _NEARLY_EVERY * files or data.ids[void] < max(data.ids[label] for label in classes) or any(
            said(data, spec, "factor", "levels", "stretched", "palette")):
        return
    common = files >= _ENOUGH_FILES and all(data.files_with[label] >= max(_COMMON, _COMMON_SHARE * files) for label in classes)
    if emptied == 1 and not common:
        return
    missing = f"the last class, {spec.last}, is" if emptied == 1 else f"the last two classes, {spec.last - 1} and {spec.last}, are"
    evidence = [f"{missing} never seen in {files:,} files" + (", though all others are common" if common else ""),
                f"{void} covers {percent(data.ids[void], data.pixels)} of all pixels, more than any class, "
                f"{of_files(data.files_with[void], files)}"]
>>>>>>> main
    if spec.names and spec.background_id == 0:
        yield f"class 0 is named {spec.names[0]}"

"""Zero was reduced to void twice, or without need.

What it does
------------
Looks for a trace of `reduce_zero_label` used once too often: a void label at the top of the type covers more than any class, in nearly
every file, while exactly the last one or two declared classes never occur. Class 0 went to void where it should have stayed, or went
there twice. It is an error for two missing classes if all others are common; otherwise a warning, since the last classes may simply be
absent.

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
from typing import Any

from labelguard.checks._weighed import said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import of_files, percent

rule = Rule("LG109", "double-shift", Severity.ERROR, "Zero was reduced to void twice, or without need.", needs_classes=True)

_SOME_FILES, _ENOUGH_FILES = 5, 20
_COMMON = 5  # files that hold a class which is not rare: that it is in none of them then has a chance of 1 in 148
_COMMON_SHARE = 0.05
_NEARLY_EVERY = 0.9  # share of the files that hold the void label


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
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
    if spec.names and spec.background_id == 0:
        evidence.append(f"class 0 is named {spec.names[0]}, and covers {percent(data.ids[0], data.pixels)}")
    details: dict[str, Any] = {"ids": (void,), "pixels": data.ids[void], "files": data.files(),
               "explains": tuple(range(spec.last + 1)), "evidence": tuple(evidence)}
    if emptied == 2:
        yield rule.finding(f"The ids were moved down by one twice: {void} holds the former 0 and 1.",
                           severity=Severity.ERROR if common else Severity.WARNING, **details,
                           fix="Go back to the source and reduce zero only once: the former 0 and 1 can no longer be told apart. If the "
                           "loader does it, turn one of the two off (reduce_zero_label, do_reduce_labels).")
        return
    yield rule.finding(f"Zero may have been reduced without need: {void} covers as much as a background does, and the last class is empty.",
                       severity=Severity.WARNING, **details,
                       fix="If 0 was the background, go back to the source and do not reduce zero. If it was to be ignored, leave it, "
                           f"and declare {len(classes)} classes if there are no more.")

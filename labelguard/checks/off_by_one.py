"""The ids go one beyond the number of classes.

What it does
------------
Reports ids that reach the number of classes. If 0 never occurs, the labels start at 1; if it does, the class count leaves out the
background, or 0 is what is not labeled. All three are weighed; where the files do not settle it, the finding says so. Where no class
count is declared and 0 never occurs, it asks for the count. Also reports files that hold the id after the last and nothing else: a loop
that moves each id up in place moves all of them there.

Why is this bad?
----------------
The highest class is out of range. On a GPU the run dies as soon as that class comes up, which may take hours.

How to fix
----------
Shift labels that start at 1 down by one, or count the background as a class. The two look alike on a few files, so check against the
class list before rewriting anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.explanations.decide import verdict_on
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges, of_files

rule = Rule("LG106", "off-by-one", Severity.ERROR, "The ids go one beyond the number of classes.",
            needs_facts=("erosion",))

_NEAR = 0.05  # odds of an account that is worth asking for the class count
_DECLARE = "Declare how many classes there are (--num-classes): where that settles which files start where, the command is printed."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    words = [*said(data, spec, "up", "more classes", "void first", "filled")]
    if spec.num_classes is None:
        words = [word for word in words if _is_told_by_others(word)]
        if not words:
            yield from _uncounted(data, spec)
    for word in words:
        table = word.explanation.table
        beyond = tuple(label for label in word.illegal if label in table) or tuple(label for label in word.part.ids if label in table)
        are = "is" if len(beyond) == 1 else "are"
        evidence = (f"{id_ranges(beyond)} {are} seen {of_files(data.count_of(beyond), data.num_exact)}",
                    f"0 is seen {of_files(data.files_with.get(0, 0), data.num_exact)}")
        message, fix = _said(word, spec)
        if not word.certain and not word.legal and word.explanation.cause != "filled":
            fix = _choices(word, beyond)
        worst = Severity.ERROR if spec.declared and not _skips_classes(word) and word.explanation.cause != "filled" else Severity.WARNING
        every = word.files() if word.explanation.cause == "up" else None  # files without the last class are shifted all the same
        yield word.finding(rule, message, beyond, files=every, evidence=evidence, explains=(0,), fix=fix if spec.declared else _DECLARE,
                           most=worst)


def _skips_classes(word: Word) -> bool:
    """Whether there are to be more classes, and some of these are in no file: then the ids may as well be something else than classes."""
    beyond = range(word.spec.last + 1, word.explanation.num_classes)
    return word.explanation.cause == "more classes" and not {*beyond} <= {*word.part.ids}


def _is_told_by_others(word: Word) -> bool:
    """Whether some files start elsewhere than the rest; else it is for a declaration to say what 0 is."""
    return word.explanation.cause == "up" and not word.whole and 0 not in word.part.ids


def _uncounted(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    """What asks for the number of classes where none is declared: 0 in no file, and every id from 1 on in some."""
    verdict = verdict_on(data, spec)
    if verdict is None or 0 in data.files_with:
        return
    for account, odds in zip(verdict.accounts, verdict.odds, strict=True):
        (part, explanation), *others = account.told
        if explanation.cause == "up" and not others and odds > _NEAR:
            ids = tuple(label for label in part.ids if explanation.table.get(label, VOID) >= 0)
            number = ids[-1] + 1 - explanation.amount
            yield rule.finding(f"0 is in no file: perhaps the labels start at {explanation.amount}.", severity=Severity.WARNING, ids=ids,
                               files=data.files(), evidence=(f"the ids are {id_ranges(ids)}",),
                               fix=f"Declare what is meant: --num-classes {number} if the first class is {explanation.amount}, or "
                                   f"--num-classes {ids[-1] + 1} if 0 is a class that no file happens to hold.")
            return


def _choices(word: Word, beyond: tuple[int, ...]) -> str:
    """What to do in each case, where it is open which it is."""
    number = max(word.illegal) + 1
    void = f"; if {beyond[0]} marks what is to be ignored, declare --ignore-index {beyond[0]}" if len(beyond) == 1 else ""
    return (f"Look at the list of classes: if it starts at 1, move all ids down by one{void}; if it starts at 0 and has {number} classes, "
            f"declare --num-classes {number}.")


def _said(word: Word, spec: LabelSpec) -> tuple[str, Fix | str | None]:
    by, number = word.explanation.amount, word.explanation.num_classes
    if word.explanation.cause == "filled":
        return (f"{by} fills whole files: their ids were moved up one after the other, and moved again each time, or nothing is labeled.",
                f"Look at the images. If nothing is labeled there, leave these files out, or declare --ignore-index {by}. Else export the "
                "masks again, and move all ids at once, as labels += 1 does.")
    if word.explanation.cause == "up":
        last = number - 1 + by
        highest = max((label for label in word.part.ids if word.explanation.table.get(label, VOID) >= 0), default=last)
        if highest < last:
            return f"The labels start at {by} instead of 0: the highest that is seen is {highest}.", None
        return f"The labels start at {by}: the ids run from {by} to {last} instead of 0 to {number - 1}.", None
    if _skips_classes(word):
        return (f"Perhaps there are {number} classes, not {spec.num_classes}: the ids reach {number - 1}, but not all before it are seen.",
                f"Look at what the ids from {spec.num_classes} on cover: if they are classes, declare --num-classes {number}; else find "
                "out what made them.")
    if word.explanation.cause == "more classes":
        return (f"There are {number} classes, not {spec.num_classes}: the ids run from 0 to {number - 1}.",
                f"Declare --num-classes {number}, and give the model as many outputs.")
    return f"0 is what is not labeled, and the {number} classes run from 1 to {number}.", None

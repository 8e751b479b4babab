"""Ids were multiplied, or spread over the whole range, to be visible.

What it does
------------
Reports ids that are all multiples of one number, such as 0, 20, 40, ..., also where some of them left the type or were cut at its top;
that divide 0-255 evenly, such as 0, 64, 128, 191 and 255; or that count down from the top. Also reports files that each spread their own
ids over the whole range, so that one class has a different id in every file. Codes that may have been chosen so are weighed against that.

Why is this bad?
----------------
Nearly all ids are out of range. With 256 outputs nothing fails, but the network learns a few classes among hundreds of empty ones. If
each file was spread separately, the same class has different ids, and no loss can know.

How to fix
----------
If all files were spread alike, one table restores the ids. If each file was spread by itself, they are lost: only the source helps. Then
take the scaling out of the export (imsave, normalize, min-max, * 255).
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import Ids
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, listed

rule = Rule("LG105", "stretched-ids", Severity.ERROR, "Ids were multiplied, or spread over the whole range, to be visible.",
            needs_facts=("erosion",))

_MOST_SHOWN = 3
_DECLARE = "Declare how many classes there are (--num-classes): where that settles what each id was, the command is printed."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for word in said(data, spec, "inverted"):
        yield _found(word, f"{_happened(word)}: {_pairs(word)}.")
    for word in said(data, spec, "factor", "levels"):
        reach = f"they reach {word.part.ids[-1]} instead of {word.explanation.num_classes - 1}"
        visible = "" if "," in word.explanation.words else " to be visible"  # nobody looks at ids that left the type
        yield _found(word, f"{_happened(word)}{visible}: {reach}.", _pairs(word), fix=_fix(word))
    for word in said(data, spec, "stretched"):
        yield _found(word, "Each file spreads its own ids over the whole range: one id stands for different classes in different files.",
                     *_examples(word), fix="No table repairs this, since each file has its own. Export the masks again from their source, "
                     "without scaling.")


def _found(word: Word, message: str, *evidence: str, fix: Fix | str | None = None) -> Finding:
    ids = tuple(label for label in word.part.ids if label and label not in word.spec.ignore_index)
    return word.finding(rule, message, ids, files=word.files(), fix=fix, evidence=(word.seen(ids), *evidence),
                        explains=(*word.part.ids, *range(word.spec.num_classes or 0)))


def _happened(word: Word) -> str:
    return f"{word.explanation.words[0].upper()}{word.explanation.words[1:]}"


def _pairs(word: Word) -> str:
    """What some of the ids were."""
    table = word.explanation.table
    moved = (label for label in word.illegal if label in table)
    return listed((f"{label} was {'void' if table[label] == VOID else table[label]}" for label in moved), _MOST_SHOWN)


def _fix(word: Word) -> Fix:
    both = word.explanation.mixed
    spared = word.explanation.cause == "factor" and all(word.explanation.table[label] == VOID for label in both)
    if not both or spared or not word.certain:
        fix = word.fix()
        return fix if fix.commands or word.spec.declared else Fix.advice(_DECLARE)
    classes = sorted({word.explanation.num_classes - 1, *(there for label in both if (there := word.explanation.table[label]) != VOID)})
    void = "void, or " if both & {*word.spec.ignore_index} else ""
    return Fix.advice(f"{id_ranges(sorted(both))} is {void}class {listed(classes, word='or')}, which was spread to the same number: export "
                      "the masks again from their source, without scaling.")


def _examples(word: Word) -> Iterator[str]:
    shown: dict[int, Ids] = {}
    for ids, _ in word.part.sets:
        if len(ids) > 2:
            shown.setdefault(len(ids), ids)
    for ids in list(shown.values())[:_MOST_SHOWN]:
        yield f"{word.data.files(ids.__eq__, limit=1).first[0]} holds {id_ranges(ids)}"
    yield f"{count(len(word.part.ids), 'id')} in all, but at most {max(len(ids) for ids, _ in word.part.sets)} in one file"

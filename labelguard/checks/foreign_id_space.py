"""The ids follow a different numbering than the declared classes.

What it does
------------
Reports ids that belong to another public numbering than the declared one: label ids where training ids are declared, and the other way
round (Cityscapes, COCO and COCO-Stuff with their gaps, ADE20K with 0 for other objects, BraTS 0, 1, 2 and 4). It is weighed against
everything else that leaves such ids; that they are a part of the declared ones shows nothing. Also reports sets with as many ids as
classes, but scattered over higher numbers. If nothing is declared, numberings with gaps are a note, and scattered ids a warning.

Why is this bad?
----------------
Higher ids are out of range, and lower ones are mistaken for other classes: 7 is road as a Cityscapes label id and traffic sign as a train
id. Metrics come out as nonsense, without an error.

How to fix
----------
The command of the finding moves the ids by the official table. The alternative is to declare what the files hold (`--preset`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatch

from labelguard.checks._weighed import Word, said
from labelguard.checks.rule import Rule
from labelguard.explanations.explanation import VOID
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.label_spaces import spaces
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges

rule = Rule("LG108", "foreign-id-space", Severity.ERROR, "The ids follow a different numbering than the declared classes.",
            needs_facts=("erosion",))

_ENOUGH_FILES, _MANY_IDS = 20, 20  # no test can tell 20 ids from 5 to 81: no space has as many as that
_NEARLY_ALL = 0.9                  # share of the ids of a space
_ORDER = "Look at the list of classes: where they are the classes in this order, 'labelguard remap' moves them."

_BY_HAND = "Look up what each id stands for, write the table by hand, and give it to labelguard remap with --map."


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if not spec.declared:
        yield from _hint(data, spec)
    for word in said(data, spec, "space"):
        space = spaces()[word.explanation.amount]
        fix = None if word.explanation.repairable else Fix.advice(f"If that is what they are, declare it: --preset {space.name}.")
        yield _found(word, f"The ids are {space.title}, not the {spec.num_classes} declared classes.", fix)
    for word in said(data, spec, "in order"):
        codes = sorted(label for label, there in word.explanation.table.items() if there != VOID)
        if len(codes) < word.explanation.num_classes:
            yield _found(word, f"The ids are {count(len(codes), 'number')} up to {codes[-1]}, with gaps: which of the {spec.num_classes} "
                               "declared classes each stands for is not in the masks.", _BY_HAND, Severity.NOTE)
        else:
            yield _found(word, f"The ids are numbered differently than declared: {id_ranges(codes, 12)} instead of 0-{spec.last}.", _ORDER)


def _found(word: Word, message: str, fix: Fix | str | None, most: Severity = Severity.ERROR) -> Finding:
    ids = tuple(label for label in word.illegal if label not in TOPS) or word.illegal
    return word.finding(rule, message, ids, files=word.files(), fix=fix, evidence=(*word.explanation.evidence, word.seen(ids)),
                        explains=(*word.part.ids, *range(word.spec.last + 1)), most=most)


def _hint(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    """Where nothing is declared: does the set look like a numbering that most people move before training, or like no numbering at all?"""
    ids = {*data.files_with} - {*spec.ignore_index} - {*TOPS}
    for space, target in ((space, target) for space in spaces() for target in spaces() if target.name in space.to):
        if not ids or not ids <= space.drawn:
            continue
        named = space.files and all(fnmatch(path.lower(), space.files) for path in data.files())
        enough = len(space.drawn) >= _MANY_IDS or data.num_exact >= _ENOUGH_FILES
        gaps = space.unused and enough and len(ids) >= _NEARLY_ALL * len(space.drawn) and max(ids) == max(space.drawn)
        if named or gaps:
            yield rule.finding(f"The ids seem to be {space.title}; most people train on {target.spec.num_classes} classes.",
                               severity=Severity.NOTE, ids=tuple(sorted(ids)), files=data.files(),
                               evidence=(f"the gaps at {id_ranges(tuple(space.unused), 12)} match" if gaps else "the file names match",),
                               fix=f"Declare what they are: --preset {space.name}. To train on the others, move them first; "
                                   "'labelguard run' has pipelines for the common ones.")
            return
    for word in said(data, spec, "as declared", "void"):
        codes = tuple(label for label in word.part.ids if label not in TOPS and word.explanation.table.get(label) != VOID)
        chosen = word.certain and not word.explanation.repairable and 1 < word.explanation.num_classes <= len(codes) <= codes[-1]
        if chosen and (word.whole or _stands_out(word, codes)):
            yield word.finding(rule, f"The ids are {count(len(codes), 'number')} up to {codes[-1]}, with gaps.", codes,
                               files=word.files(), evidence=(word.seen(codes),), most=_worst(word, codes),
                               fix="Declare how many classes there are: --num-classes. Where these are codes for fewer classes, move them "
                                   "with 'labelguard remap' first.")


def _worst(word: Word, codes: Sequence[int]) -> Severity:
    """A note where further files would show further ids, so that gaps tell nothing: about as likely as the share that ids of a single file
    have of all sightings (Good 1953, "The population frequencies of species")."""
    there = [word.part.num_files_of[label] for label in codes]
    return Severity.NOTE if 2 * there.count(1) > sum(there) else Severity.WARNING


def _stands_out(word: Word, codes: Sequence[int]) -> bool:
    """Whether the ids of some files have gaps where most would be, and go beyond those of all others: else these files lack classes."""
    beside = {label for part, _ in word.verdict.told if part is not word.part for label in part.ids} - {*TOPS}
    return codes[-1] >= 2 * len(codes) and codes[-1] > max(beside, default=-1)

"""A declared class has no pixel in the whole set.

What it does
------------
Reports class ids that no mask holds: a note, since a rare class may simply not have come up, and a warning where classes are so common
in the files that chance hardly leaves one out, or where all that is known of the ids makes it likely enough that something happened to
them which would leave no pixel of the class. That 0 alone is absent is no more than a note: where everything is labeled, it often is.

Why is this bad?
----------------
The class is never trained and its IoU is 0/0. Generalized Dice, with its weights of 1 / area squared, turns NaN or lets this class drown
out all others. The reason is often a shift, a wrong class list or a wrong split.

How to fix
----------
Compare the class list with the ids that are present. Leave reserved ids out of the metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.remarkable import surprise
from labelguard.explanations.search import Account
from labelguard.explanations.settling import question
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG204", "absent-class", Severity.WARNING, "A declared class has no pixel in the whole set.",
            needs_classes=True, across_splits=True, needs_facts=("erosion",),
            symptom_of=("LG102", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG111", "LG205", "LG301"))

_NEAR, _OPEN = 0.005, 0.25  # odds of an account that is worth a word; of all that make a warning (of healthy sets: 0.2 at most)
_STRIKING = 6.0             # bits of surprise that a class is in no file, which make one as well: chance once in 64 times
_KINDS = 3                  # of files, by their ids, below which they may all show one scene, as the frames of a video do


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    files = data.num_exact
    absent = tuple(label for label in range(spec.last + 1) if spec.is_class(label) and label not in data.files_with)
    if not absent or not files:
        return
    evidence = [f"seen: {spec.last + 1 - len(absent)} of {count(spec.last + 1, 'class', 'classes')}"]
    verdict = verdict_on(data, spec)
    others = [] if verdict is None else [(account, odds) for account, odds in zip(verdict.accounts, verdict.odds, strict=True)
                                         if odds > _NEAR and _accounts_for(account, absent)]
    evidence += [f"it would be so if {account.words} ({percent(odds, 1)} of the odds)" for account, odds in others]
    open_ = sum(odds for _, odds in others) > _OPEN
    bits = surprise(data.files_with, files, spec)
    if striking := bits > _STRIKING and absent != (0,) and len(data.id_sets()) >= _KINDS:
        evidence.append(f"the others are so common that chance would leave one out in 1 of {2 ** int(bits):,} such sets")
    if others and (open_ or striking):
        evidence += _asked(verdict, others[0][0], data, spec)
    yield rule.finding(f"{count(len(absent), 'class is', 'classes are')} never seen in {count(files, 'file')}: "
                       f"{listed((spec.name_of(label) for label in absent), 12)}.", ids=absent, pixels=0,
                       severity=Severity.WARNING if open_ or striking else Severity.NOTE, evidence=tuple(evidence),
                       files=data.files(),
                       fix="Compare the class list with the ids that are present; leave reserved ids out of the metrics.")


def _asked(verdict: Verdict | None, account: Account, data: DatasetFacts, spec: LabelSpec) -> list[str]:
    """The question that tells an account from the likeliest of the others."""
    others = [] if verdict is None else [other for other in verdict.accounts if other is not account]
    asked = question(others[0], account, data, spec) if others else ""
    return [f"what would settle it: {asked}"] * bool(asked)


def _accounts_for(account: Account, absent: tuple[int, ...]) -> bool:
    """Whether some of the absent classes are there under another id, or were lost, by what an account says."""
    return any(explanation.lost or not {*absent}.isdisjoint(explanation.table.values()) for _, explanation in account.told)

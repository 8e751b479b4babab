"""What the rules on the ids of a set have in common: each words one kind of explanation, where that is the likeliest of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labelguard.checks._mending import mending
from labelguard.checks.rule import Rule
from labelguard.explanations.columns import Told
from labelguard.explanations.decide import Verdict, verdict_on
from labelguard.explanations.evidence import evidence, odds
from labelguard.explanations.explanation import CauseName, Explanation
from labelguard.explanations.part import Part
from labelguard.explanations.search import which
from labelguard.explanations.settling import settling
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.record import Ids
from labelguard.finding import FileList, Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, id_ranges, of_files, percent

THIN, THICK = 0.2, 0.5  # share of an id's pixels that is core: VOC borders 0.06, CamVid void 0.33, wrapped background 0.79
_EVEN = 0.2             # bit: nothing is likelier by so little
_NEAR = 0.02            # odds of an explanation that is worth a word


@dataclass(frozen=True)
class Word:
    """One part of the likeliest account of a set, to be worded by a rule."""

    data: DatasetFacts
    spec: LabelSpec
    verdict: Verdict
    part: Part
    explanation: Explanation

    @property
    def certain(self) -> bool:
        """Whether it may be said without a perhaps."""
        return self.verdict.certainty == "certain"

    @property
    def whole(self) -> bool:
        """Whether it concerns all files."""
        return len(self.verdict.told) == 1

    @property
    def legal(self) -> bool:
        """Whether every id of its files is declared."""
        return self.spec.declared and all(map(self.spec.is_legal, self.part.ids))

    @cached_property
    def illegal(self) -> Ids:
        """The ids of its files that are neither a class nor ignored; where that cannot be said, those that it takes for something else."""
        by_spec = self.spec.declared and not self.legal
        return tuple(label for label in self.part.ids
                     if (not self.spec.is_legal(label) if by_spec else self.explanation.table.get(label) != label))

    def files(self, ids: Collection[int] = ()) -> FileList:
        """Its files, or those of them that hold any of some ids."""
        rows = self.part.chosen & self.part.seen.holding(ids) if ids else self.part.chosen
        return FileList(tuple(record.path for record in self.data.select() if rows[self.part.seen.row_of(record)]))

    def share(self, ids: Collection[int]) -> str:
        """How much of its files some ids cover."""
        wanted = {self.part.seen.ids.index(label) for label in ids}
        return percent(float(self.part.area_shares[[*wanted]].sum()), 1)

    def seen(self, ids: Ids) -> str:
        """How much of its files some ids cover, and how many of them hold any."""
        where = self._in_files(self.part.holding_any(ids), self.part.num_files)
        verb = "covers" if len(ids) == 1 else "cover"
        return f"{id_ranges(ids)} {verb} {self.share(ids)} of all pixels{'' if self.whole else ' there'}, {where}"

    def _in_files(self, files: int, total: int) -> str:
        if self.whole:
            return of_files(files, total)
        return "in this file" if total == 1 else f"in {'all' if files == total else f'{files:,}'} of these {total:,} files"

    def finding(self, rule: Rule, message: str, ids: Ids, *, fix: Fix | str | None = None, evidence: Collection[str] = (),
                files: FileList | None = None, most: Severity = Severity.ERROR, **details: Any) -> Finding:
        """The finding of a rule: what it says if that is certain, else what it may be; with the evidence and the command."""
        concerned = self.files(ids) if files is None else files
        lost = self.explanation.cause == "zero reduced"  # of legal ids, what is said of no class but void: nothing else would stop it
        sure = self.certain and (self.spec.declared or self.verdict.mendable)  # what nobody declared is wrong only if it is proven
        severity = most if sure and (lost or not self.legal) else min(most, Severity.WARNING, key=lambda each: each.rank)
        where = () if self.whole else (f"it concerns {self.part.num_files:,} of {count(self.data.num_exact, 'file')}, and not the others",)
        settles = "" if fix is None or self.certain else settling(self.verdict, self.data, self.spec)  # else the fix asks
        return rule.finding(message if self.certain else self.verdict.hedged, severity=severity,
                            ids=ids, files=concerned, pixels=self.data.pixels_of(ids, self.part.ids) if self.whole else None,
                            evidence=(*evidence, *where, *self.weight(), *[f"what would settle it: {settles}"] * bool(settles)),
                            fix=self.fix() if fix is None else fix, weighed=True, **details)

    def weight(self) -> Iterator[str]:
        """How much likelier the explanation is than the next one, and what speaks for either."""
        first, *others = self.verdict.accounts
        if same := [each for each in self.verdict.same if self.whole or f"in {which(self.part)} " in each]:
            yield f"it may as well be that {', or '.join(same[:2])}: that leaves the same ids"
        if not others:
            return
        found = evidence(first, others[0])
        lines = [f"{word}: {', '.join(terms)}" for word, terms in (("for the first", found.pro), ("for the other", found.contra)) if terms]
        bits = others[0].bits - first.bits
        ahead = f"{odds(bits)} as likely" if bits > _EVEN else "about as likely"
        yield "; ".join((f"{ahead} as the next explanation, that {others[0].unlike(first)}", *lines))

    def fix(self) -> Fix:
        """The commands that mend the set, where they are sure to."""
        return mending(self.data, self.spec)


def said(data: DatasetFacts, spec: LabelSpec, *causes: CauseName) -> Iterator[Word]:
    """The parts of the likeliest account that have one of some causes."""
    verdict = verdict_on(data, spec)
    if verdict is not None:
        for part, explanation in _worded(verdict, spec):
            if explanation.cause in causes:
                yield Word(data, spec, verdict, part, explanation)


def _worded(verdict: Verdict, spec: LabelSpec) -> Collection[Told]:
    """What is said: the likeliest account. Where nothing is declared and nothing certain, an id that may be void is spoken of as such."""
    if not spec.declared and verdict.certainty == "undetermined":
        for account, odds in zip(verdict.accounts, verdict.odds, strict=True):
            if odds > _NEAR and len(account.told) == 1 and account.told[0].explanation.cause == "void":
                return account.told
    return verdict.told


def shape_of(label: int, data: DatasetFacts) -> Iterator[str]:
    """Whether an id that may be void is lines or areas, and whether it touches the frame."""
    erosion = data.erosion.get(label)
    if erosion is None:
        return
    core = erosion.core
    if core is None:
        yield f"it covers {count(erosion.num_pixels, 'pixel')}, too few to tell lines from areas"
        return
    shape = ("thin lines, as void borders are" if core < THIN else
             "areas with a core, as a wrapped background has" if core >= THICK else "neither lines nor clear areas")
    yield f"{percent(erosion.eroded_pixels, erosion.num_pixels)} of its pixels lie away from its edges: {shape}"
    usual = ", as a background does" if core >= THIN and 2 * erosion.touching_border > erosion.files else ""
    yield f"it touches the image border {of_files(erosion.touching_border, erosion.files)}{usual}"

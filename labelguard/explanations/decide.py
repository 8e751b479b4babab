"""The verdict: what happened to the ids of a set, how sure that is, and whether a table may mend it. The only place that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from labelguard.explanations.columns import Told
from labelguard.explanations.explanation import VOID
from labelguard.explanations.remarkable import is_remarkable, may_be_remarkable
from labelguard.explanations.restoring import restores
from labelguard.explanations.search import Account, accounts, open_rows, unknown_ids
from labelguard.explanations.sightings import Sightings
from labelguard.facts.ambiguous_ids import TOPS
from labelguard.facts.dataset import DatasetFacts, once
from labelguard.spec.labelspec import LabelSpec

Certainty = Literal["certain", "likely", "undetermined"]

_CERTAIN = 0.985                          # probability of a cause that is said flatly: three such words in 200 may be wrong
_INNOCENT = 0.75                          # probability of legal ids being as declared above which nothing is said
_KINDS, _LEAST_KIND = 2, 1.0              # how many kinds of evidence have to speak then, and the bit that each has to give
_LIKELY = 0.8                             # the same for what is said with a reservation: four to one
_SURE_TABLE = 0.985                       # probability of a table that is printed as a command
_LEAST_FACTS = 5.0                        # bits by which facts alone have to speak against what must not be excluded for being rare
_LEAST_OF_PART = 12.0                     # the same for parts: which classes a few files hold differs from the rest by chance too
_NEGLIGIBLE = 1e-6                        # odds of an account of which it is not asked what else decodes alike
_WORTH_A_WORD, _MOST_NAMED = 0.005, 3
_MOST_IDS = 4096                          # of a set; with more of them, they are no classes
_ONLY_UNDECLARED = {"as declared", "more classes", "void"}  # causes that leave ids where they should be
_HIGHEST = 2 ** 63 - 1                    # id that is counted with; what lies above is none of a class, nor a -1 in a usual type


@dataclass(frozen=True, eq=False)
class Verdict:
    """What happened to the ids of a set.

    Parameters
    ----------
    accounts
        All that were weighed, each cause once, the likeliest first.
    odds
        The probability of each.
    certainty
        How sure the first of them is.
    mendable
        Whether its tables may be printed as commands.
    same
        In words, other causes that would have left the very same ids, the likeliest first.
    """

    accounts: tuple[Account, ...]
    odds: tuple[float, ...]
    certainty: Certainty
    mendable: bool
    same: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[Told, ...]:
        """The likeliest account: parts of the set, and what happened to each."""
        return self.accounts[0].told

    @property
    def is_as_declared(self) -> bool:
        """Whether nothing happened, and every id is what is declared."""
        return self.accounts[0].is_as_declared

    @property
    def hedged(self) -> str:
        """What it is or may be, as a sentence that leaves open what the odds leave open, and no more."""
        first, *others = self._near
        if self.certainty == "certain":
            return f"{first[0].upper()}{first[1:]}."
        if self.certainty == "likely":
            return f"Most likely {first}; it may also be that {', or '.join(others or [self.accounts[1].words])}."
        return f"Perhaps {self.doubt}: the ids do not settle it."

    @property
    def doubt(self) -> str:
        """What it may be, as the end of a sentence, the likeliest first."""
        return ", or ".join(self._near)

    @property
    def _near(self) -> list[str]:
        """In words, the few accounts that are likely enough to be named, the likeliest first."""
        near = [account.words for account, odds in zip(self.accounts, self.odds, strict=True) if odds > _WORTH_A_WORD]
        return [*dict.fromkeys(near or [self.accounts[0].words])][:_MOST_NAMED]


@once
def verdict_on(data: DatasetFacts, spec: LabelSpec) -> Verdict | None:
    """What happened to the ids of a set; None where there is nothing to ask, or they are too many, or too high, to be classes."""
    if not data.num_exact or len(data.files_with) > _MOST_IDS or max(data.files_with) > _HIGHEST:
        return None
    if spec.declared and all(map(spec.is_legal, data.files_with)) and not may_be_remarkable(data, spec):
        return None
    return weighed(Sightings.of(data), spec)


def weighed(seen: Sightings, spec: LabelSpec, mending: bool = True) -> Verdict | None:
    """The same for sightings; None where no id is illegal and nothing is remarkable.

    Where it is not asked whether the tables may mend the set, that is left open.
    """
    legal = spec.declared and all(map(spec.is_legal, seen.ids))
    if legal and not is_remarkable(seen, spec):
        return None
    found = accounts(seen, spec)
    weights = np.exp2([found[0].bits - account.bits for account in found])
    weights /= weights.sum()
    ranked = _ranked(found, weights.tolist())
    if legal:
        ranked = _in_doubt(ranked)
    likeliest, odds = ranked[0]
    known = not any(map(unknown_ids, likeliest.told))
    certain = known and odds > _CERTAIN and not (spec.declared and _may_be_one_more(likeliest, found))
    certainty: Certainty = "certain" if certain else "likely" if known and odds > _LIKELY else "undetermined"
    alike = [(account, weight) for account, weight in zip(found, weights.tolist(), strict=True)
             if weight > _NEGLIGIBLE and account.decoded == likeliest.decoded]
    same = [account.unlike(likeliest) for account, weight in alike if weight > _WORTH_A_WORD and account.causes != likeliest.causes
            and all(explanation.repairable for _, explanation in account.told)]  # that ids are in order says nothing of what happened
    verdict = Verdict(tuple(account for account, _ in ranked), tuple(odds for _, odds in ranked), certainty, False,
                      tuple(dict.fromkeys(same)))
    if not mending or not certain or legal or verdict.is_as_declared or sum(weight for _, weight in alike) <= _SURE_TABLE:
        return verdict
    return replace(verdict, mendable=not _may_be_merged(likeliest, found) and not _may_be_class_0_alone(likeliest, found)
                   and not open_rows(likeliest, spec).any() and restores(likeliest, spec) and _stays(likeliest, seen, spec))


def _may_be_merged(account: Account, found: Sequence[Account]) -> bool:
    """Whether facts hardly tell a shift from one that put two classes together: that it is rarer is no proof, and no table parts them. That
    a file of a part has one more fate is another matter."""
    least = _LEAST_FACTS if len(account.told) == 1 else _LEAST_OF_PART
    return any("reduced twice" in other.causes and len(other.told) <= len(account.told) and not any(map(unknown_ids, other.told))
               and _facts(other) - _facts(account) < least for other in found)


def _may_be_class_0_alone(account: Account, found: Sequence[Account]) -> bool:
    """Whether facts hardly tell a part that was shifted from one in which a -1 was written over class 0, or the other way round."""
    either = {"shift", "minus one"}
    return len(account.told) > 1 and bool(account.causes & either) and any(
        other.causes and other.causes == either - account.causes and _facts(other) - _facts(account) < _LEAST_OF_PART for other in found)


def _facts(account: Account) -> float:
    return account.bits - account.terms["prior"]


def _may_be_one_more(account: Account, found: Sequence[Account]) -> bool:
    """Whether facts hardly tell ids that begin at 1 from a class more than declared, or from void after the last class, which are as they
    should be but for the declaration. Files in which many classes are absent may well lack class 0; and where 0 is seen, it may be a
    background, which is in most files and of any size as well, so that only other files that lack it tell."""
    moved = account.causes - {"as declared"}
    if not moved or not moved <= {"up", "void first"}:
        return False
    others = [other for other in found if other.causes & {"more classes", "void"} and other.causes <= _ONLY_UNDECLARED
              and not any(map(unknown_ids, other.told))]
    return (bool(others) and account.causes == {"void first"}) or any(_facts(other) - _facts(account) < _LEAST_FACTS for other in others)


def _in_doubt(ranked: list[tuple[Account, float]]) -> list[tuple[Account, float]]:
    """The accounts of legal ids, that they are as declared first, unless the likeliest fault has odds that are worth a word, and two kinds
    of evidence speak for it, such as which ids there are and how they look: an absent class alone, or a form alone, has other reasons."""
    declared = next((place for place, (account, _) in enumerate(ranked) if account.is_as_declared), None)
    fault = next((place for place, (account, _) in enumerate(ranked) if not account.is_as_declared), None)
    if declared is None or fault is None:
        return ranked
    (innocent, odds), (guilty, _) = ranked[declared], ranked[fault]
    gains = {name: innocent.terms[name] - bits for name, bits in guilty.terms.items()}
    which, how = gains["classes"] + gains["void"], gains["sizes"] + gains["shape"] + gains["order"]
    kinds = sum(gain >= _LEAST_KIND for gain in (which, gains["own"], how))
    first = declared if odds > _INNOCENT or kinds < _KINDS else fault
    return [ranked[first], *ranked[:first], *ranked[first + 1:]]


def _ranked(found: list[Account], weights: list[float]) -> list[tuple[Account, float]]:
    """The shortest account of each cause with the odds of that cause, the likeliest first; what decodes alike is one cause."""
    odds: list[float] = []
    firsts: list[Account] = []
    places: dict[object, int] = {}
    for account, weight in zip(found, weights, strict=True):
        keys = (account.name, account.words, account.decoded) if weight > _NEGLIGIBLE else (account.name, account.words)
        place = next((places[key] for key in keys if key in places), None)
        if place is None:
            place = len(firsts)
            firsts.append(account)
            odds.append(0.0)
        for key in keys:
            places.setdefault(key, place)
        odds[place] += weight
    order = sorted(range(len(firsts)), key=lambda place: -odds[place])
    return [(firsts[place], odds[place]) for place in order]


def _stays(account: Account, seen: Sightings, spec: LabelSpec) -> bool:
    """Whether what its tables make of the set is as it is declared to be, by the same weighing."""
    void = next((label for label in spec.ignore_index if label >= 0), TOPS[0])
    tables = [(part.chosen, {label: void if there == VOID else there for label, there in explanation.table.items()})
              for part, explanation in account.told]
    result = LabelSpec(max(explanation.num_classes for _, explanation in account.told), void)
    after = weighed(seen.moved(tables), result, mending=False)
    return after is None or (after.odds[0] > _CERTAIN and after.is_as_declared)

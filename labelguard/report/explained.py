"""The explanations that were weighed: as text for `--explain`, and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from labelguard.explanations.decide import Verdict
from labelguard.explanations.evidence import ProAndContra, evidence
from labelguard.explanations.search import Account
from labelguard.explanations.settling import question, settling
from labelguard.facts.dataset import DatasetFacts
from labelguard.report.style import style
from labelguard.report.text import wrapped
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, of_files, percent

_MOST_TOLD = 12     # accounts in the text
_MOST_ASKED = 3     # of them with a question of their own
_SAME = "nothing, since both say the same of every id"
_LEAST_ODDS = 1e-4  # of an account that JSON lists
HOW = ("For and against: the first is held against the second, each other one against the first; in brackets how many times likelier or "
       "unlikelier that makes it. docs/verdicts.md says how this is computed.")


class Explained(NamedTuple):
    """One explanation, as it is told: its odds, its words, what speaks for it and against it, and what would tell it from the first."""

    odds: float
    words: str
    pro: tuple[str, ...] = ()
    contra: tuple[str, ...] = ()
    question: str = ""


def explained(verdict: Verdict, data: DatasetFacts, spec: LabelSpec) -> Iterator[Explained]:
    """The likeliest explanations and the rest together: the first is held against the second, each other one against the first."""
    first, *others = verdict.accounts
    for place, (account, odds) in enumerate(zip(verdict.accounts[:_MOST_TOLD], verdict.odds, strict=False)):
        found = evidence(account, first if place else others[0]) if others else ProAndContra((), ())
        asked = (question(first, account, data, spec) or _SAME) if 0 < place <= _MOST_ASKED else ""
        yield Explained(odds, account.words, found.pro, found.contra, asked)
    if len(verdict.accounts) > _MOST_TOLD:
        yield Explained(sum(verdict.odds[_MOST_TOLD:]), f"the other {len(verdict.accounts) - _MOST_TOLD:,} together")


def explained_lines(verdict: Verdict | None, data: DatasetFacts, spec: LabelSpec) -> Iterator[str]:
    """Every explanation with its odds, what speaks for it and against it, and what would settle it, the likeliest first."""
    yield ""
    smoothed = smoothed_words(data)
    if verdict is None:
        yield from wrapped("Explanations: ", smoothed or "nothing was weighed, since the ids are what is declared.")
        return
    yield style(f"Explanations ({verdict.certainty}; {weighed_words(verdict)})", bold=True)
    yield from wrapped("            ", smoothed) if smoothed else ()
    for odds, words, pro, contra, asked in explained(verdict, data, spec):
        yield from wrapped(f"{percent(odds, 1):>10}  ", words)
        for word, terms in (("for", pro), ("against", contra)):
            yield from wrapped(f"            {word}: ", ", ".join(terms)) if terms else ()
        yield from wrapped("            to tell it from the first: ", asked) if asked else ()
    yield from wrapped("  ", HOW)


def weighed_words(verdict: Verdict) -> str:
    """How many explanations were weighed."""
    return count(len(verdict.accounts), "was weighed", "were weighed")


def explained_dict(verdict: Verdict | None, data: DatasetFacts, spec: LabelSpec) -> dict[str, Any] | None:
    """The same as plain values, without what is next to impossible; None where nothing was weighed and nothing is smoothed."""
    smoothed = {"files": len(data.smoothed), "words": smoothed_words(data)} if data.smoothed else None
    if verdict is None:
        return smoothed and {"verdict": None, "mendable": False, "settles": "", "weighed": 0, "accounts": [], "smoothed": smoothed}
    likely = [(account, odds) for account, odds in zip(verdict.accounts, verdict.odds, strict=True) if odds >= _LEAST_ODDS]
    return {
        "verdict": verdict.certainty, "mendable": verdict.mendable, "settles": settling(verdict, data, spec),
        "weighed": len(verdict.accounts), "accounts": [_account_dict(account, odds) for account, odds in likely],
        "smoothed": smoothed}


def smoothed_words(data: DatasetFacts) -> str:
    """What is told by borders, before anything is weighed: where a filter left ids; empty where it left none."""
    if not data.smoothed:
        return ""
    told = f"a filter left ids along borders {of_files(len(data.smoothed), len(data.records))}, by the ids on either side of them"
    if any(record.exact and record.path in data.smoothed for record in data.records):
        return f"perhaps {told}; all ids are weighed all the same."
    return f"{told}; no id of these files is weighed."


def _account_dict(account: Account, odds: float) -> dict[str, Any]:
    parts = [{"cause": explanation.cause, "amount": explanation.amount, "num_classes": explanation.num_classes, "files": part.num_files,
              "group": None if part.group is None else part.group.words} for part, explanation in account.told]
    return {"odds": odds, "words": account.words, "bits": {name: round(bits, 2) for name, bits in account.terms.items()}, "parts": parts}

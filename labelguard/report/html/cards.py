"""The findings of a page: a card for each check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from labelguard.checks.registry import rule_named
from labelguard.finding import Finding
from labelguard.report.finding_text import how_many
from labelguard.report.html.budget import Budget
from labelguard.report.html.entries import DetailsOf, Entry, of_set, of_single_files
from labelguard.report.html.mask_set import Sets
from labelguard.text import count

_MOST_OF_SET = 20  # findings about the set in a card


@dataclass(frozen=True)
class Card:
    """All findings of one check and severity that count, or are set aside alike; of one split, or of the comparison, where there are some.

    Parameters
    ----------
    first
        The worst of them, for what they share.
    aside
        Why they do not count; empty where they do.
    numbers
        How many findings there are, and in how many files.
    anchor
        What a link within the page names.
    entries
        What is said; nothing where the page is full.
    more
        What was left out, in words.
    manual
        What the check does, why that matters and how to fix it: headings with their paragraphs.
    """

    first: Finding
    aside: str
    numbers: str
    anchor: str
    entries: tuple[Entry, ...]
    more: str
    manual: tuple[tuple[str, tuple[str, ...]], ...]


def cards(findings: Iterable[Finding], sets: Sets, details_of: DetailsOf, budget: Budget) -> tuple[Card, ...]:
    """Findings, sorted as they come, in cards, as far as they fit."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: not finding.counts):
        groups.setdefault((finding.severity, finding.code, finding.split or "", _aside(finding)), []).append(finding)
    seen = Counter[str]()
    found = []
    for group in groups.values():
        first = group[0]
        seen[first.code] += 1
        of_whole = [finding for finding in group if finding.path is None]
        entries = [*(of_set(finding, sets, details_of) for finding in of_whole[:_MOST_OF_SET]),
                   *of_single_files([finding for finding in group if finding.path is not None], sets, details_of)]
        fitting = tuple(entry for entry in entries if _fits(entry, budget))
        left = max(0, len(of_whole) - _MOST_OF_SET) + len(entries) - len(fitting)
        manual = rule_named(first.name).sections if seen[first.code] == 1 and fitting else ()
        budget.takes(*(text for _, paragraphs in manual for text in paragraphs))
        found.append(Card(first, _aside(first), how_many(group),
                          first.code if seen[first.code] == 1 else f"{first.code}-{seen[first.code]}", fitting,
                          f"{count(left, 'more finding is', 'more findings are')} not shown." if left else "", manual))
    return tuple(found)


def _aside(finding: Finding) -> str:
    return f"accepted: {finding.accepted}" if finding.accepted else "known" if finding.known else ""


def _fits(entry: Entry, budget: Budget) -> bool:
    """Whether an entry fits; rows that no longer do are taken out of it."""
    if not budget.takes(*entry.texts, bytes_=2_000):
        return False
    entry.rows = [row for row in entry.rows if budget.takes(row.path, row.message)]
    return True

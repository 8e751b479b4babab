"""Page: a report for a browser, in one file that asks the network for nothing, whatever the names of files hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TextIO

from labelguard._version import __version__
from labelguard.checks.registry import all_rules
from labelguard.facts.batch_odds import crops_of
from labelguard.finding import Finding, Severity
from labelguard.pictures.class_colors import ClassColors
from labelguard.report.explained import HOW, explained, smoothed_words, weighed_words
from labelguard.report.html import tables
from labelguard.report.html.budget import Budget
from labelguard.report.html.cards import cards
from labelguard.report.html.entries import Details
from labelguard.report.html.gallery import hang
from labelguard.report.html.mask_set import MaskSet, Sets
from labelguard.report.html.templating import environment
from labelguard.report.skipped import SkippedCheck
from labelguard.report.text import Fact
from labelguard.report.written import FailOn
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

_FINDINGS, _PICTURES = 1_800_000, 2_600_000  # bytes: with all else, less than 5 MB


class HasPage(Protocol):
    """What is asked of a report here."""

    def to_html(self) -> str:
        """The page."""


def write_html(report: HasPage, file: TextIO, _fail_on: FailOn) -> None:
    """The page of a report."""
    file.write(report.to_html())


@dataclass(frozen=True, eq=False, kw_only=True)
class WebPage:
    """What a page tells.

    Parameters
    ----------
    command, title
        What was run, such as ``scan``, and on what.
    verdict, reserved
        How it went, in a line; and why it is not to be called clean, as a part of that.
    sets
        The set of masks, or each split.
    meaning
        What ids are shown as.
    findings
        Sorted as they come.
    facts
        What is to be said of all sets together.
    skipped_checks
        Checks that could not be judged.
    remarks
        What else is to be known, in sentences.
    details_of
        What else is to be said of a finding.
    """

    command: str
    title: str
    verdict: str
    reserved: str
    sets: tuple[MaskSet, ...]
    meaning: LabelSpec
    findings: tuple[Finding, ...]
    facts: tuple[Fact, ...] = ()
    skipped_checks: tuple[SkippedCheck, ...] = ()
    remarks: tuple[str, ...] = ()
    details_of: Callable[[Finding], Details] = lambda _: Details()

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity that are neither accepted nor known, the worst first."""
        return {severity.value: sum(finding.severity == severity and finding.counts for finding in self.findings) for severity in Severity}

    @property
    def skipped(self) -> dict[str, list[str]]:
        """The checks that were not run, by the reason; those first that somebody asked for, or that only lack a declaration."""
        names = {rule.code: rule.name for rule in all_rules()}
        reasons: dict[str, list[str]] = {}
        for check in sorted(self.skipped_checks, key=lambda check: not (check.asked or check.undeclared)):
            reasons.setdefault(check.why, []).append(f"{check.code} {names[check.code]}")
        return reasons

    def html(self) -> str:
        """The page, less than 5 MB of it."""
        colors = ClassColors(self.meaning)
        told = cards(self.findings, Sets(self.sets), self.details_of, Budget(_FINDINGS))
        entries = [entry for card in told for entry in card.entries]
        num_shown = hang(entries, Sets(self.sets), colors, Budget(_PICTURES))
        class_rows, more_classes = tables.class_rows(self.sets, colors)
        kind_rows, more_kinds = tables.kind_rows(self.sets)
        weighed = [(each.name, verdict.certainty, weighed_words(verdict), smoothed_words(each.trusted),
                    [*explained(verdict, each.trusted, each.spec)]) for each in self.sets if (verdict := each.verdict) is not None]
        return environment().get_template("page.html").render(
            page=self, version=__version__, cards=told, num_shown=num_shown, class_rows=class_rows,
            more_classes=count(more_classes, "more id") if more_classes else "", kind_rows=kind_rows,
            more_kinds=count(more_kinds, "more kind") if more_kinds else "",
            weighed=weighed, how=HOW, batches=[(each.name, rows) for each in self.sets if (rows := [*tables.batch_rows(each, colors)])],
            crops=[(each.name, tables.crop_rows(crops)) for each in self.sets if (crops := crops_of(each.data)) is not None])

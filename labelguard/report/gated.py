"""GatedReport: a report whose findings went through the gate, and that can become the baseline of those to come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from labelguard.checks.registry import all_rules
from labelguard.errors import IncompleteError
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding
from labelguard.report.base import Report
from labelguard.report.baseline import Mark, read_baseline
from labelguard.report.finding_text import ALL_OF_A_SCAN, finding_lines
from labelguard.report.gate import Gated
from labelguard.report.limits import limits
from labelguard.report.scan_settings import ScanSettings
from labelguard.report.style import style
from labelguard.report.text import Fact, wrapped
from labelguard.report.width import wrapped_at
from labelguard.spec.argument_checks import StrPath
from labelguard.text import count, id_ranges, listed

_MOST_LISTED = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GatedReport(Report):
    """A report whose findings may be accepted or known, so that only the others fail a run.

    Parameters
    ----------
    gated
        What became of acceptances and baseline.
    settings
        Which options a labelguard.toml gave; None without one.
    """

    gated: Gated = field(default_factory=Gated)
    settings: ScanSettings | None = None

    def judged(self) -> frozenset[str]:
        """The codes of the checks that were judged."""
        return frozenset(rule.code for rule in all_rules() if rule.found_by == "scan" and rule.code in self.gated.looked.codes)

    def write_baseline(self, path: StrPath) -> Self:
        """Write a baseline: a later scan that is held against it does not fail on what was found now.

        What an older baseline in its place knows of checks and files that this scan has not looked at is kept. Accepted findings are not
        written. The file is written whole or not at all.

        Returns
        -------
        GatedReport
            The same report, whose findings are known now.

        Raises
        ------
        IncompleteError
            When the scan was interrupted, or the file cannot be written.
        UsageError
            When something else than a baseline lies there.
        """
        if not self.complete:
            raise IncompleteError(f"No baseline was written to '{path}', since the scan is incomplete: it would lack what was not found.")
        from labelguard.report.baseline_file import baseline_of, check_baseline_place, holds_something, write_whole
        check_baseline_place(path)
        older = read_baseline(path).findings if holds_something(path) else {}
        kept = {mark: known for mark, known in older.items() if not self.gated.looked.has_seen(mark)}
        baseline = baseline_of(self.findings, str(path), kept)
        write_whole(baseline)
        gone = tuple((mark, known) for mark, known in older.items() if mark not in baseline.findings)
        new = sum(finding.counts for finding in self.findings)
        return replace(self.all_known(), gated=replace(self.gated, baseline=str(path), gone=gone, recorded=new))

    def all_known(self) -> Self:
        """The same report, in which every finding is known that nobody has accepted."""
        return replace(self, findings=known(self.findings))

    def settings_facts(self) -> Iterator[Fact]:
        """Which options a labelguard.toml gave."""
        yield from () if self.settings is None else self.settings.facts()

    def finding_blocks(self, findings: Iterable[Finding], data: DatasetFacts) -> Iterator[str]:
        """The findings that count; then, where that is asked for, those that are accepted and those that are known."""
        kinds: dict[str, list[Finding]] = defaultdict(list)
        for finding in findings:
            kinds["" if finding.counts else "Accepted" if finding.accepted else "Known"].append(finding)
        yield from finding_lines(kinds[""], data, ALL_OF_A_SCAN)
        for kind in ("Accepted", "Known") if limits().set_aside else ():
            if kinds[kind]:
                yield from ("", style(f"{kind}:", bold=True))
                yield from finding_lines(kinds[kind], data, ALL_OF_A_SCAN)

    def gate_lines(self) -> Iterator[str]:
        """What was accepted and why, how much is known, what is gone, and what matches nothing."""
        reasons: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
        for finding in self.findings:
            if finding.accepted:
                reasons[finding.code, finding.name, finding.accepted].append(finding)
        for (code, name, reason), findings in [*reasons.items()][:_MOST_LISTED]:
            files = len({path for finding in findings for path in finding.concerns})
            yield from wrapped("Accepted: ", f"{code} {name} ({count(files, 'file') if files else 'the set'}): {reason}")
        if len(reasons) > _MOST_LISTED:
            yield f"Accepted: {count(len(reasons) - _MOST_LISTED, 'more reason')}; {ALL_OF_A_SCAN} has everything."
        yield from self._baseline_lines()
        for each in self.gated.stale:
            yield from wrapped("Stale:    ", f"{each.where} ({each}) matches no finding; take it out.")

    def gate_remarks(self) -> tuple[str, ...]:
        """The same, each in one line."""
        with wrapped_at(1 << 20):
            return tuple(" ".join(line.split()) for line in self.gate_lines())

    def _baseline_lines(self) -> Iterator[str]:
        gated, number = self.gated, sum(finding.known for finding in self.findings)
        if not gated.baseline:
            return
        if gated.recorded is not None:
            new = f"{gated.recorded:,} new" if gated.recorded else "none new"
            yield from wrapped("Baseline: ", f"{count(number, 'finding')} written to {gated.baseline}, {new}"
                               f"{f'; {_named(gated.gone)} taken out' if gated.gone else ''}.")
        else:
            more = "" if limits().set_aside or not number else "; --verbose shows what is known"
            yield from wrapped("Baseline: ", f"{count(number, 'finding')} known by {gated.baseline}{more}.")
            if gated.gone:
                yield from wrapped("Gone:     ", f"{_named(gated.gone)}. --write-baseline takes out what is gone, so that it is new if it "
                                   "comes back.")

    def gate_dict(self) -> dict[str, Any]:
        """The same as plain values, without the findings."""
        gated = self.gated
        return {"accepted": sum(bool(finding.accepted) for finding in self.findings),
                "known": sum(finding.known for finding in self.findings), "baseline": gated.baseline or None,
                "written": gated.recorded is not None,
                "gone": [{"code": mark.code, "name": known.name, "path": mark.path or None, "ids": list(mark.ids), "count": known.count}
                         for mark, known in gated.gone],
                "stale": [{"code": each.code, "path": list(each.path), "ids": list(each.ids), "reason": each.reason}
                          for each in gated.stale]}


def known(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings as known, but for those that are accepted."""
    return tuple(finding if finding.accepted else replace(finding, known=True) for finding in findings)


def _named(gone: Iterable[tuple[Mark, Any]]) -> str:
    """Codes, ids and files, a few of them."""
    return listed((f"{mark.code}{f' ({_ids(mark.ids)})' if mark.ids else ''}{f' in {mark.path}' if mark.path else ''}"
                   for mark, _ in gone), 5)


def _ids(ids: Sequence[int]) -> str:
    return f"{'id' if len(ids) == 1 else 'ids'} {id_ranges(ids)}"

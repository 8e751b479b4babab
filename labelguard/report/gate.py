"""The gate: which findings somebody has accepted, and which a baseline knows; only the others can fail a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from labelguard.checks.registry import all_rules
from labelguard.errors import UsageError
from labelguard.files.selection import matcher
from labelguard.finding import FileList, Finding
from labelguard.report.baseline import Baseline, Known, Mark, mark_of, places, read_baseline
from labelguard.spec.acceptance import Acceptance
from labelguard.text import did_you_mean

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True)
class Looked:
    """What a scan has looked at: only of that it can be said that a finding is gone.

    Parameters
    ----------
    complete
        Whether the scan came to its end.
    codes
        The checks that were judged.
    left_out
        The files that were not meant, named as in findings.
    """

    complete: bool = False
    codes: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()

    def has_seen(self, mark: Mark) -> bool:
        """Whether a finding with this mark would have been found, were it there."""
        return self.complete and mark.code in self.codes and mark.path not in self.left_out


@dataclass(frozen=True)
class Gated:
    """What became of acceptances and baseline.

    Parameters
    ----------
    baseline
        The file of known findings, as the user wrote it; empty without one.
    gone
        Known findings that are no longer there, and how often each is missing.
    stale
        Acceptances that match no finding.
    looked
        What the scan has looked at.
    unseen
        Known findings of what this scan has not looked at.
    recorded
        How many of the known findings a baseline that was just written did not know before; None where none was written.
    """

    baseline: str = ""
    gone: tuple[tuple[Mark, Known], ...] = ()
    stale: tuple[Acceptance, ...] = ()
    looked: Looked = field(default_factory=Looked)
    unseen: tuple[tuple[Mark, Known], ...] = ()
    recorded: int | None = None


@dataclass(frozen=True)
class Gate:
    """What a run does not fail on.

    Parameters
    ----------
    accept
        Findings that somebody has accepted.
    baseline
        Findings that are known; None without a baseline.
    """

    accept: tuple[Acceptance, ...] = ()
    baseline: Baseline | None = None


def read_gate(accept: Iterable[Acceptance], baseline: str | None) -> Gate:
    """The gate with its baseline read.

    Raises
    ------
    UsageError
        When an acceptance names no check or has a pattern that cannot be read; when the baseline cannot be read.
    """
    accept = tuple(accept)
    for acceptance in accept:
        if not any(_names(acceptance, rule.code, rule.name) for rule in all_rules()):
            near = did_you_mean(acceptance.code.lower(), [rule.name for rule in all_rules()])
            raise UsageError(f"{acceptance.where}: '{acceptance.code}' is not the code or name of a check; 'labelguard rules' lists them."
                             f"{near}", argument="accept")
        matcher(f"{acceptance.where}: path", acceptance.path)
    return Gate(accept, None if baseline is None else read_baseline(baseline))


def _names(acceptance: Acceptance, code: str, name: str) -> bool:
    return acceptance.code.upper() == code or acceptance.code.lower() == name


@dataclass
class Judging:
    """Findings on their way through the gate."""

    gate: Gate
    _matches: list[Callable[[str], bool] | None] = field(init=False)
    _used: set[int] = field(default_factory=set, init=False)
    _missing: Counter[Mark] = field(init=False)

    def __post_init__(self) -> None:
        self._matches = [matcher(each.where, each.path) if each.path else None for each in self.gate.accept]
        known = {} if self.gate.baseline is None else self.gate.baseline.findings
        self._missing = Counter({mark: known.count for mark, known in known.items()})

    def parts(self, finding: Finding) -> Iterator[Finding]:
        """The finding as it counts. One about the set is taken apart where only some of its files are accepted or known."""
        if not self.gate.accept and self.gate.baseline is None:
            yield finding
            return
        files = finding.concerns or (None,)
        for number, part in _taken_apart(finding, files, lambda file: self._acceptance(finding, file), None, "accepted"):
            if number is not None:
                self._used.add(number)
                for file in places(part):
                    self._is_known(part, file)  # what was known before it was accepted is not gone
                yield replace(part, accepted=self.gate.accept[number].reason)
            else:
                for known, piece in _taken_apart(part, places(part), lambda file: self._is_known(finding, file), False, "known"):
                    yield replace(piece, known=True) if known else piece

    def _acceptance(self, finding: Finding, file: str | None) -> int | None:
        """The number of the first acceptance of a finding in a file; None where there is none."""
        for number, (acceptance, matches) in enumerate(zip(self.gate.accept, self._matches, strict=True)):
            if _names(acceptance, finding.code, finding.name) and (not acceptance.ids or {*finding.ids} <= {*acceptance.ids}) \
                    and (matches is None or (file is not None and matches(file))):
                return number
        return None

    def _is_known(self, finding: Finding, file: str | None) -> bool:
        """Whether the baseline knows a finding in a file, once more, and no worse than it knows it."""
        mark = mark_of(finding, file)
        if self.gate.baseline is None or not self._missing[mark]:
            return False
        self._missing[mark] -= 1
        return self.gate.baseline.findings[mark].severity.rank >= finding.severity.rank

    def outcome(self, looked: Looked) -> Gated:
        """What became of acceptances and baseline, once all findings are through."""
        unused = (number for number in range(len(self.gate.accept)) if number not in self._used)
        stale = tuple(self.gate.accept[number] for number in unused if self._has_been_tried(number, looked))
        if self.gate.baseline is None:
            return Gated(stale=stale, looked=looked)
        known = self.gate.baseline.findings
        missing = [(mark, replace(known[mark], count=count)) for mark, count in sorted(self._missing.items()) if count]
        gone, unseen = ([each for each in missing if looked.has_seen(each[0]) is seen] for seen in (True, False))
        return Gated(self.gate.baseline.name, tuple(gone), stale, looked, tuple(unseen))

    def _has_been_tried(self, number: int, looked: Looked) -> bool:
        """Whether all that an acceptance may be about has been looked at."""
        codes = {rule.code for rule in all_rules() if _names(self.gate.accept[number], rule.code, rule.name)}
        matches = self._matches[number]
        return looked.complete and codes <= looked.codes and not (any(map(matches, looked.left_out)) if matches else looked.left_out)


def _taken_apart(finding: Finding, files: Collection[str | None], key_of: Callable[[str | None], _Key], rest: _Key,
                 word: str) -> Iterator[tuple[_Key, Finding]]:
    """A finding, or its parts where its files have different keys, each with its key; the `rest` says how many of the others are what."""
    by_key: dict[_Key, list[str | None]] = defaultdict(list)
    for file in files:
        by_key[key_of(file)].append(file)
    for key in sorted(by_key, key=lambda key: key != rest):
        part = finding
        if len(by_key) > 1:
            part = replace(finding, files=FileList([file for file in by_key[key] if file is not None]))
        if key == rest and len(by_key) > 1:
            others = f"{len(files) - len(part.files):,} of the {len(files):,} files that this is about are {word}, and not named here"
            part = replace(part, evidence=(*part.evidence, others))
        yield key, part

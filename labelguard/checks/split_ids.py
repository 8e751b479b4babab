"""The ids of one split are those of another, shifted by one.

What it does
------------
Reports two splits of which one lacks the lowest id of the other and goes one further at the top, or the other way round, if the number of
files that hold these ids rules out chance and the shares of pixels agree far better once one split is shifted by one. Also reports a
split in which the lowest id of the other one is ignored, and every other is one less: zero was reduced to void in one of them. A split
whose ids have another fault, such as LG106, is reported by that check and not compared here.

Why is this bad?
----------------
If both ranges are legal, nothing fails. What is learned as class 3 is tested as class 4: the training loss falls, and the scores stay
near zero.

How to fix
----------
Find out which split follows the class list, and shift the other one. The ids of two splits cannot tell which; if several agree against
one, that one is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from labelguard.checks._remap_command import leaves_as_declared, remap_command, spec_arguments
from labelguard.checks.rule import Rule
from labelguard.facts.odds import chance_of_none
from labelguard.facts.split import SplitFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges, listed, percent

rule = Rule("LG113", "split-ids", Severity.ERROR, "The ids of one split are those of another, shifted by one.", needs="splits",
            symptom_of=("LG102", "LG104", "LG105", "LG106", "LG107", "LG108", "LG109", "LG110", "LG111", "LG112"))

_UNLIKELY = 1e-3  # chance that splits lack ids at random, below which their absence needs a reason
_CLEARLY = 0.5    # by how much better the shares of pixels have to agree


@dataclass(frozen=True)
class _Shift:
    """The ids of `other` are those of `one` plus `by`."""

    one: SplitFacts
    other: SplitFacts
    by: int
    fit: str


@rule.on_splits
def check(splits: Sequence[SplitFacts], spec: LabelSpec) -> Iterator[Finding]:
    found = [shift for one, other in combinations(splits, 2) if (shift := _shift(one, other)) is not None]
    odd = [split for split in splits if all(split in (shift.one, shift.other) for shift in found)]
    if len(found) > 1 and len(odd) == 1:  # the others agree
        turned = [shift if shift.other is odd[0] else _Shift(shift.other, shift.one, -shift.by, shift.fit) for shift in found]
        yield _finding(turned, spec, odd[0].name)
        return
    for shift in found:
        yield _finding([shift], spec)
    for whole, reduced in permutations(splits, 2):
        fit = _reduction(whole, reduced)
        if fit is not None:
            yield _finding_of_reduction(whole, reduced, fit, spec)


def _shift(one: SplitFacts, other: SplitFacts) -> _Shift | None:
    first, second = _shares(one), _shares(other)
    best = min((1, -1), key=lambda shift: _distance(first, _moved(second, -shift)))
    plain, moved = _distance(first, second), _distance(first, _moved(second, -best))
    if not _shifted(one, other, best) or moved > _CLEARLY * plain:
        return None
    return _Shift(one, other, best, _fit(one, other, plain, moved))


def _fit(one: SplitFacts, other: SplitFacts, plain: float, moved: float) -> str:
    return (f"the shares of pixels in {one.name} and {other.name} differ by {percent(plain, 1)} as they are, and by {percent(moved, 1)} "
            "once one of them is shifted")


def _reduction(whole: SplitFacts, reduced: SplitFacts) -> str | None:
    """Evidence that `reduced` ignores the lowest id of `whole` and has all others one lower; None if that is not the case."""
    ids, left = _ids(whole), {label + 1 for label in _ids(reduced)}
    if len(ids) < 3 or len(left) < 2 or not left <= ids - {min(ids)} or max(ids) + 1 in left or max(ids) in _ids(reduced):
        return None
    lowest, shares = min(ids), _shares(whole)
    rest = {label: share / (1 - shares[lowest]) for label, share in shares.items() if label != lowest}
    plain, moved = _distance(shares, _shares(reduced)), _distance(rest, _moved(_shares(reduced), 1))
    more = _ignored(reduced) - _ignored(whole)
    if (_chance(max(ids), whole, reduced) >= _UNLIKELY or any(_chance(label, whole, reduced) < _UNLIKELY for label in ids - left - {lowest})
            or moved > _CLEARLY * plain or more < _CLEARLY * shares[lowest] * (1 - _ignored(whole))):
        return None
    return _fit(whole, reduced, plain, moved)


def _ignored(split: SplitFacts) -> float:
    return 1 - sum(split.data.ids[label] for label in _ids(split)) / split.data.pixels


def _finding_of_reduction(whole: SplitFacts, reduced: SplitFacts, fit: str, spec: LabelSpec) -> Finding:
    lowest = min(_ids(whole))
    void = max({*spec.ignore_index, *reduced.data.ids} - reduced.classes, key=lambda label: (reduced.data.ids.get(label, 0), label))
    files = [path for split in (whole, reduced) for path in split.named(split.data.files())]
    command = _command(whole, -1, spec, merge=(lowest, void))
    return rule.finding(f"The ids of {reduced.name} are those of {whole.name} minus 1, and what is {lowest} in {whole.name} is ignored in "
                        f"{reduced.name}; which of the two follows the class list is undetermined.", files=tuple(sorted(files)),
                        ids=tuple(sorted(_ids(whole) ^ _ids(reduced))),
                        evidence=(*(f"{split.name}: {id_ranges(sorted(_ids(split)))}, and {percent(_ignored(split), 1)} ignored"
                                    for split in (whole, reduced)), fit),
                        fix=Fix.advice(f"If {reduced.name} is right: ", command, f". If {whole.name} is right: export {reduced.name} again "
                                       f"without the reduction, for its {void} may hold void besides the former {lowest}."))


def _ids(split: SplitFacts) -> set[int]:
    return {label for label in split.data.files_with if label in split.classes}


def _shifted(one: SplitFacts, other: SplitFacts, shift: int) -> bool:
    """Whether the ids of `other`, and nothing else, are explained by the shift; what else is missing must be chance."""
    first, second = _ids(one), _ids(other)
    if len(first) < 2 or len(second) < 2 or not first & second:
        return False
    back = {label - shift for label in second}
    low, high = (one, other) if shift > 0 else (other, one)
    bottom, top = min(_ids(low)), max(_ids(high))
    return (bottom not in _ids(high) and top not in _ids(low) and back <= first
            and _chance(bottom, low, high) * _chance(top, high, low) < _UNLIKELY
            and all(_chance(label, one, other) > _UNLIKELY for label in first - back))


def _chance(label: int, holder: SplitFacts, without: SplitFacts) -> float:
    files = without.data.num_exact
    return chance_of_none(holder.data.num_exact + files, holder.data.files_with[label], files)


def _shares(split: SplitFacts) -> dict[int, float]:
    ids = _ids(split)
    whole = sum(split.data.ids[label] for label in ids)
    return {label: split.data.ids[label] / whole for label in ids}


def _moved(shares: Mapping[int, float], by: int) -> dict[int, float]:
    return {label + by: share for label, share in shares.items()}


def _distance(first: Mapping[int, float], second: Mapping[int, float]) -> float:
    """The total variation distance: the share of pixels that would have to change their id."""
    return sum(abs(first.get(label, 0) - second.get(label, 0)) for label in {*first, *second}) / 2


def _finding(shifts: Sequence[_Shift], spec: LabelSpec, odd: str | None = None) -> Finding:
    ones, other, by = [shift.one for shift in shifts], shifts[0].other, shifts[0].by
    ids: set[int] = set().union(*(_ids(one) ^ _ids(other) for one in ones))
    those = f"The ids of {other.name} are those of {listed(one.name for one in ones)} {'plus' if by > 0 else 'minus'} 1"
    concerned = [other] if odd else [*ones, other]
    files = sorted(path for split in concerned for path in split.named(split.data.files()))
    message = f"{those}." if odd else f"{those}; which of the two follows the class list is undetermined."
    fix = _command(other, -by, spec)
    if not odd:
        fix = Fix.advice(f"If {ones[0].name} is right: ", fix, f". If {other.name} is right: ", _command(ones[0], by, spec), ".")
    evidence = (*(f"{split.name}: {id_ranges(sorted(_ids(split)))}" for split in (*ones, other)), *(shift.fit for shift in shifts))
    return rule.finding(message, files=tuple(files), ids=tuple(sorted(ids)), evidence=evidence, fix=fix, split=odd)


def _command(split: SplitFacts, shift: int, spec: LabelSpec, merge: tuple[int, int] | None = None) -> Fix:
    """The command that shifts the ids of a split; `merge` is an id and the ignore id that it becomes.

    It is said in words where what it leaves would look like anything else than what is declared.
    """
    ignored = sorted(label for label in {*spec.ignore_index, *(set(split.data.files_with) - split.classes)} if label >= 0)
    if merge is not None and merge[1] not in ignored:
        ignored.append(merge[1])
    number = spec.num_classes if spec.num_classes is not None else max(_ids(split)) + shift + 1
    table = {label: label if label in ignored else label + shift for label in split.data.files_with} | dict([merge] if merge else [])
    if not leaves_as_declared(split.data, table, LabelSpec(number, tuple(ignored))):
        return Fix.advice(f"shift the ids of {split.name} by {shift:+}, after a look at its masks")
    merges = () if merge is None else ("--merge", f"{merge[0]}:{merge[1]}")
    return remap_command(split.data, "--shift", str(shift), *merges, *spec_arguments(number, ignored))

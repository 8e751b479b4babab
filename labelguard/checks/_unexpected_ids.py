"""What are the ids that are not classes? Shared by the checks for wrapped ids, undeclared ignore ids and shifted numbering."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from labelguard.checks._spread_ids import coded
from labelguard.checks._wrapped_run import BITS, RunVerdict, judge_run, seen
from labelguard.explanations.explanation import TOPS
from labelguard.facts.ambiguous_ids import is_expected
from labelguard.facts.dataset import DatasetFacts, once
from labelguard.facts.inference import WIDE_GAP, is_drawn_for_viewing
from labelguard.spec.labelspec import LabelSpec

_DEEPEST = 3            # how far below the top of the type a run of wrapped ids may end
_MOST_OTHERS = 2        # unexpected ids besides such a run
_SENTINELS = (-100, -99, -9, -999, -1000, -9999, -32768)


def binary_255(data: DatasetFacts, spec: LabelSpec) -> int | None:
    """The id that stands for foreground in a two-valued set drawn for viewing: 255 or 65535; else None."""
    top = max(data.files_with, default=0)
    if top not in TOPS or top in spec.ignore_index or (spec.num_classes or 2) > 2 or min(data.files_with) < 0:
        return None
    return top if is_drawn_for_viewing(data, top) else None


@once
def judge(data: DatasetFacts, spec: LabelSpec) -> tuple[RunVerdict, ...]:
    """Judge the ids that are not classes; one verdict for each width at which something may have wrapped."""
    if binary_255(data, spec) is not None or coded(data, spec) is not None:
        return ()
    verdicts = []
    negative = tuple(sorted(label for label in data.files_with if label < 0 and label not in spec.ignore_index))
    if len(negative) == 1:
        verdicts.append(_judge_negative(negative, data, spec))
    moved_void = -1  # an 8-bit void label that a shift in a wider type has taken along
    for modulus in reversed(BITS):
        unexpected = [label for label in _unexpected(data, spec, modulus) if label != moved_void]
        run = _top_run(unexpected, modulus)
        if run:
            verdict = judge_run(run, modulus, data, spec)
            along = 255 - verdict.shift  # where 255 has gone
            plain = modulus > 256 and (verdict.cause, verdict.void) == ("shift", None)
            if plain and along in data.files_with and not is_expected(along, spec):
                verdict, moved_void = replace(verdict, ids=(along, *run), void=along), along
            verdicts.append(verdict)
        else:
            verdicts.extend(_judge_sentinel(unexpected, modulus, data, spec))
    return tuple(verdicts[::-1])


def wrapped_ids(data: DatasetFacts, spec: LabelSpec) -> set[int]:
    """The ids that a shift or a -1 has brought to the top of the type, as far as that is certain."""
    return {label for verdict in judge(data, spec) if verdict.cause in ("shift", "moved-void", "minus-one") for label in verdict.ids}


def _judge_negative(ids: tuple[int, ...], data: DatasetFacts, spec: LabelSpec) -> RunVerdict:
    """A negative id in a signed type, where nothing wraps."""
    evidence = [seen(ids, data), "a negative id cannot be a class"]
    if spec.declared and ids == (-1,) and 0 in data.files_with and spec.last not in data.files_with:
        evidence.append(f"the last class, {spec.last}, is never seen, as after a shift by -1")
        return RunVerdict("undetermined", ids, tuple(evidence), settle="If -1 is a void label, declare it: --ignore-index -1. If not, the "
                       "labels were shifted by -1: shift them back by 1.")
    return RunVerdict("void", ids, tuple(evidence))


def _unexpected(data: DatasetFacts, spec: LabelSpec, modulus: int) -> list[int]:
    """The ids that no declaration covers and that fit this width; without a class count, those beyond a wide gap."""
    lower = max((m for m in BITS if m < modulus), default=0)
    present = sorted(label for label in data.files_with if label >= 0)
    if spec.declared:
        return [label for label in present if lower <= label < modulus and not spec.is_legal(label)]
    gaps = [i for i in range(1, len(present)) if present[i] - present[i - 1] > WIDE_GAP]
    beyond = present[gaps[-1]:] if gaps and present[gaps[-1] - 1] < modulus // 4 * 3 else []
    return [label for label in beyond if lower <= label < modulus and label not in spec.ignore_index]


def _top_run(unexpected: list[int], modulus: int) -> tuple[int, ...]:
    """The unbroken run of unexpected ids at the top of the type; empty if there is none, or too much else."""
    ends = [label for label in unexpected if label >= modulus - _DEEPEST]
    if not ends:
        return ()
    known, lowest = frozenset(unexpected), ends[-1]
    while lowest - 1 in known:
        lowest -= 1
    run = range(lowest, ends[-1] + 1)
    others = len(unexpected) - len(run)
    return tuple(run) if len(run) <= WIDE_GAP and others <= _MOST_OTHERS else ()


def _judge_sentinel(unexpected: list[int], modulus: int, data: DatasetFacts, spec: LabelSpec) -> Iterator[RunVerdict]:
    """One stray id that is a well-known negative number, cut to the width."""
    if len(unexpected) != 1 or unexpected[0] < modulus // 2:  # in the lower half, -999 and -1000 leave 25 and 24, which may be classes
        return
    below = sorted(label for label in data.files_with if 0 <= label < unexpected[0])
    if not spec.declared and (len(below) < 2 or any(b - a > WIDE_GAP for a, b in pairwise(below))):
        return  # gray levels, not classes and a stray id
    for sentinel in _SENTINELS:
        if sentinel % modulus == unexpected[0]:
            where = {-100: "the ignore_index that torch assumes", -9999: "a common nodata value of rasters"}.get(sentinel)
            evidence = [seen(unexpected, data), f"{sentinel} modulo {modulus} is {unexpected[0]}"]
            yield RunVerdict("sentinel", tuple(unexpected), tuple(evidence + [f"{sentinel} is {where}"] * bool(where)),
                          sentinel=sentinel, bits=BITS[modulus])
            return
